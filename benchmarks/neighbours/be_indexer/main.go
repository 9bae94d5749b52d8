// How is be_indexer asked? Built from a file, compared, warmed up, and only then timed; see exchange.py for the files and
// process.py for the talk. An event is the library's own map, so that making it is not timed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/echoface/be_indexer"
	_ "github.com/echoface/be_indexer/holder/rangeholder"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	directory := os.Args[1]
	warmSeconds := must(strconv.ParseFloat(os.Args[2], 64))
	mostSeconds := must(strconv.ParseFloat(os.Args[3], 64))
	be_indexer.LogLevel = be_indexer.ErrorLevel
	runtime.GOMAXPROCS(1)

	before := usedHeap()
	started := time.Now()
	index := build(directory)
	buildSeconds := time.Since(started).Seconds()
	heap := usedHeap() - before
	say(map[string]any{"build_s": buildSeconds, "bytes": heap, "kind": "heap", "runtime": runtime.Version()})

	answer(directory, index)
	say(map[string]any{"answered": true})
	if !bufio.NewScanner(os.Stdin).Scan() {
		return
	}

	warm := events(filepath.Join(directory, "warm.tsv"))
	asked := events(filepath.Join(directory, "asked.tsv"))
	end := time.Now().Add(time.Duration(1.5 * warmSeconds * float64(time.Second)))
	for place := 0; time.Now().Before(end); place = (place + 1) % len(warm) {
		ask(index, warm[place])
	}
	times := []int64{}
	matches := 0
	first := time.Now()
	for _, event := range asked {
		asking := time.Now()
		found := ask(index, event)
		times = append(times, time.Since(asking).Nanoseconds())
		matches += len(found)
		if time.Since(first).Seconds() > mostSeconds {
			break
		}
	}
	say(map[string]any{"times_ns": times, "matches": matches})
}

func build(directory string) be_indexer.BEIndex {
	builder := be_indexer.NewCompactIndexerBuilder()
	for _, name := range lines(filepath.Join(directory, "attributes.txt")) {
		container := be_indexer.HolderNameDefault
		if name[0] == 'r' {
			container = be_indexer.HolderNameExtendRange
		}
		builder.ConfigField(be_indexer.BEField(name), be_indexer.FieldOption{Container: container})
	}
	file := must(os.Open(filepath.Join(directory, "expressions.tsv")))
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for id := 0; scanner.Scan(); id++ {
		conjunction := be_indexer.NewConjunction()
		for _, field := range strings.Split(scanner.Text(), "\t") {
			parts := strings.Split(field, " ")
			if field[0] == 'r' {
				conjunction.Between(be_indexer.BEField(parts[0]), number(parts[1]), number(parts[2])+1) // the end is left out
			} else {
				conjunction.In(be_indexer.BEField(parts[0]), parts[1:])
			}
		}
		document := be_indexer.NewDocument(be_indexer.DocID(id))
		document.AddConjunction(conjunction)
		if err := builder.AddDocument(document); err != nil {
			panic(err)
		}
	}
	return builder.BuildIndex()
}

func ask(index be_indexer.BEIndex, event be_indexer.Assignments) be_indexer.DocIDList {
	return must(index.Retrieve(event))
}

func answer(directory string, index be_indexer.BEIndex) {
	var answers strings.Builder
	for _, event := range events(filepath.Join(directory, "checked.tsv")) {
		found := ask(index, event)
		slices.Sort(found)
		for _, id := range found {
			fmt.Fprintf(&answers, "%d ", id)
		}
		answers.WriteByte('\n')
	}
	must(0, os.WriteFile(filepath.Join(directory, "answers.txt"), []byte(answers.String()), 0o644))
}

func events(path string) []be_indexer.Assignments {
	found := []be_indexer.Assignments{}
	for _, line := range lines(path) {
		event := be_indexer.Assignments{}
		for _, field := range strings.Split(line, "\t") {
			parts := strings.Split(field, " ")
			if field[0] == 'r' {
				event[be_indexer.BEField(parts[0])] = []int64{number(parts[1])}
			} else {
				event[be_indexer.BEField(parts[0])] = parts[1:]
			}
		}
		found = append(found, event)
	}
	return found
}

func lines(path string) []string {
	return strings.Split(strings.TrimRight(string(must(os.ReadFile(path))), "\n"), "\n")
}

func number(text string) int64 {
	return must(strconv.ParseInt(text, 10, 64))
}

func usedHeap() int64 {
	runtime.GC()
	runtime.GC()
	var found runtime.MemStats
	runtime.ReadMemStats(&found)
	return int64(found.HeapAlloc)
}

func say(line map[string]any) {
	os.Stdout.Write(append(must(json.Marshal(line)), '\n'))
}
