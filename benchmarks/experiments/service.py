"""What does a question cost over HTTP, and what does a write? A server on loopback, loaded from other processes.

The events of `targeting` are never the same twice within a figure, but for the long run, which begins again when all
were asked. Rounds of what is compared follow each other in turn. The library's own rate is that of an index with the
same expressions in this process, from the same bytes to lists of ids, or to an Arrow table.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from time import perf_counter, sleep
from typing import Any

import pyarrow as pa

import eligo
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.delivery_load import DeliveryLoad
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.http_load import (
    Connection,
    Load,
    Paced,
    Server,
    fsyncs_a_second,
    run_wrk,
    serving,
    told,
    write_requests,
)
from benchmarks.service_process import BARE
from eligo.storage.log.log import Log
from eligo.workloads import targeting

LINES, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"
CONNECTIONS = 64
WRITES_A_SECOND = 100
BULK_ROWS = 10_000
PUBLICATIONS_A_SECOND = 20
"""Of the mixed load; each goes to one or two of three subscribers."""


@dataclass(frozen=True)
class Size:
    """How much is done at a scale."""

    expressions: int
    more_expressions: int
    """Of which writes are made."""
    events: int
    batch: int
    """Events of one body."""
    rounds: int
    seconds: float
    """Of a round."""
    long_seconds: float
    """Of the mixed load."""


FULL = Size(100_000, 60_000, 200_000, 20_000, 3, 8.0, 600.0)
SMALL = Size(1_000, 500, 2_000, 500, 1, 1.0, 3.0)


class Stage:
    """A server with expressions, and what it is asked; made once a run."""

    def __init__(self, bench: Bench) -> None:
        self.size = FULL if bench.is_full else SMALL
        size = self.size
        self._stack = ExitStack()
        self.directory = Path(mkdtemp(prefix="eligo-service-"))
        workload = targeting.generate(size.expressions + size.more_expressions, size.events, bench.seed)
        texts = workload.expressions["expression"].to_pylist()
        self.texts, self.more = texts[: size.expressions], texts[size.expressions :]
        self.table = workload.events
        self.events = [
            json.dumps({name: value for name, value in row.items() if value is not None}).encode()
            for row in workload.events.to_pylist()
        ]
        self.index = eligo.build({f"e{number}": text for number, text in enumerate(self.texts)})
        self.server: Server = self._stack.enter_context(serving(self.directory / "data"))
        self.loading = self._load()
        for name, path in (("match", "/match"), ("bare", BARE)):
            write_requests(self.directory / name, [(path, event) for event in self.events])
        self._compare()
        self.next_event = 0

    def _load(self) -> dict[str, Any]:
        """Put all expressions, as lines."""
        rows = [_put_row(f"e{number}", text) for number, text in enumerate(self.texts)]
        started = perf_counter()
        for first in range(0, len(rows), BULK_ROWS):
            status, given = self.server.ask(
                "POST", "/expressions", b"".join(rows[first : first + BULK_ROWS]), _of(LINES)
            )
            if status != 200 or b'"error"' in given:
                raise WrongAnswerError(f"loading: {status} {given[:300]!r}")
        return {"rows": len(rows), "seconds": perf_counter() - started}

    def _compare(self) -> None:
        """The server finds what the index finds, one by one and in both kinds of batches."""
        some = self.events[-50:]
        expected = [sorted(self.index.match_json(event)) for event in some]
        alone = [json.loads(self.server.ask("POST", "/match", event)[1])["matches"] for event in some]
        lines = self.server.ask("POST", "/match", b"\n".join(some), _of(LINES))[1].splitlines()
        found = [alone, [json.loads(line)["matches"] for line in lines]]
        body = self.server.ask("POST", "/match", _stream(self.table.slice(len(self.events) - 50)), _of(ARROW, ARROW))[1]
        pairs = pa.ipc.open_stream(body).read_all().to_pylist()
        found.append([[pair["expression_id"] for pair in pairs if pair["event"] == row] for row in range(50)])
        for each in found:
            if [sorted(ids) for ids in each] != expected:
                raise WrongAnswerError("the server has other matches than the index")

    def fresh(self, number: int) -> int:
        """The first of so many events that were not asked yet; from the beginning when there are no more."""
        first = self.next_event if self.next_event + number <= len(self.events) else 0
        self.next_event = first + number
        return first

    def wrk(self, name: str, seconds: float, connections: int = CONNECTIONS) -> Load:
        """Ask events that were not asked yet."""
        load = run_wrk(
            self.server, self.directory / name, seconds=seconds, connections=connections, first=self.next_event
        )
        if name == "match":
            self.next_event = (self.next_event + load.num_requests) % len(self.events)
        return load

    def writer(self) -> Paced:
        """Puts an expression so many times a second, new or instead of another, and deletes every fifth again."""
        connection, texts = Connection(self.server), cycle(self.more)

        def write(number: int) -> None:
            id = f"w{number % 2_000}"
            if number % 5 == 4:
                connection.ask("DELETE", f"/expressions/w{(number - 1) % 2_000}")
            else:
                connection.ask("PUT", f"/expressions/{id}", json.dumps({"expression": next(texts)}).encode())

        return Paced(WRITES_A_SECOND, write)

    def close(self) -> None:
        self._stack.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def _of(kind: str, accept: str = "*/*") -> dict[str, str]:
    return {"content-type": kind, "accept": accept}


def _put_row(id: str, text: str) -> bytes:
    return json.dumps({"id": id, "expression": text}).encode() + b"\n"


def _stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def staged(bench: Bench) -> Stage:
    """The server of a run."""
    if "service" not in bench.contests:
        bench.contests["service"] = Stage(bench)
    stage: Stage = bench.contests["service"]
    return stage


def rates(bench: Bench) -> dict[str, list[Load]]:
    """Rounds of the bare handler, of questions, and of questions beside writes, in turn."""
    if "service rates" not in bench.contests:
        stage = staged(bench)
        found: dict[str, list[Load]] = {"bare": [], "match": [], "writes": []}
        stage.server.merge()
        for _ in range(2):  # what is read often is tidied, which is not to fall into a round
            stage.wrk("match", stage.size.seconds / 2)
            stage.server.settle(5 * stage.size.seconds)
        for _ in range(stage.size.rounds):
            stage.server.settle(stage.size.seconds)
            found["bare"].append(stage.wrk("bare", stage.size.seconds))
            found["match"].append(stage.wrk("match", stage.size.seconds))
            with stage.writer() as writer:
                found["writes"].append(stage.wrk("match", stage.size.seconds))
            if writer.errors:
                raise WrongAnswerError(f"a write failed: {writer.errors[0]}")
            found.setdefault("writer", []).append(
                Load(writer.num_done / sum(writer.seconds), median(writer.seconds) * 1e3, 0, 0, writer.num_done)
            )
        bench.contests["service rates"] = found
    loads: dict[str, list[Load]] = bench.contests["service rates"]
    return loads


def requests_a_second(bench: Bench, name: str) -> Outcome:
    """How many requests a second, and how long they take."""
    loads = rates(bench)[name]
    if sum(load.num_failed for load in loads):
        raise WrongAnswerError(f"requests failed: {loads}")
    each = [load.requests_a_second for load in loads]
    details: dict[str, Any] = {
        "p50_ms": median(load.p50_ms for load in loads),
        "p99_ms": median(load.p99_ms for load in loads),
        "rounds": [round(rate) for rate in each],
        "connections": CONNECTIONS,
        "load_average": [round(load, 1) for load in os.getloadavg()],
    }
    if name == "writes":
        writers = rates(bench)["writer"]
        details["writes_made"] = sum(load.num_requests for load in writers)
        details["write_p50_ms"] = median(load.p50_ms for load in writers)
    return Outcome(median(each), told(details), (min(each), max(each)))


def share_of_bare(bench: Bench, name: str) -> Outcome:
    """What is left of the bare handler's requests, round by round."""
    loads = rates(bench)
    shares = [
        100 * own.requests_a_second / bare.requests_a_second
        for own, bare in zip(loads[name], loads["bare"], strict=True)
    ]
    return Outcome(median(shares), {"rounds": [round(share, 1) for share in shares]}, (min(shares), max(shares)))


def batches(bench: Bench, kind: str) -> dict[str, list[float]]:
    """Events a second over HTTP and in the library, in turn."""
    key = f"service {kind}"
    if key not in bench.contests:
        stage = staged(bench)
        size, found = stage.size.batch, {"http": [], "library": []}
        stage.server.merge()  # the library's index has no changes that wait either
        stage.server.settle(5 * stage.size.seconds)
        for number in range(stage.size.rounds + 1):
            first = stage.fresh(size)
            rows, events = stage.table.slice(first, size), stage.events[first : first + size]
            body = _stream(rows) if kind == ARROW else b"\n".join(events)
            started = perf_counter()
            status, _ = stage.server.ask("POST", "/match", body, _of(kind, kind))
            over_http = perf_counter() - started
            first = stage.fresh(size)
            rows, events = stage.table.slice(first, size), stage.events[first : first + size]
            started = perf_counter()
            if kind == ARROW:
                stage.index.match_batch(rows).to_arrow()
            else:
                stage.index.match_json_batch(events).id_lists()
            alone = perf_counter() - started
            if status != 200:
                raise WrongAnswerError(f"a batch was answered with {status}")
            if number:  # the first one warms both up
                found["http"].append(size / over_http)
                found["library"].append(size / alone)
        bench.contests[key] = found
    rates_found: dict[str, list[float]] = bench.contests[key]
    return rates_found


def batch_share(bench: Bench, kind: str) -> Outcome:
    """How much of the library's own rate a batch has over HTTP."""
    found = batches(bench, kind)
    shares = [100 * http / library for http, library in zip(found["http"], found["library"], strict=True)]
    details = {f"{name}_events_a_second": round(median(each)) for name, each in found.items()}
    details["events_of_a_body"] = staged(bench).size.batch
    return Outcome(median(shares), details, (min(shares), max(shares)))


def writes(bench: Bench) -> dict[str, Any]:
    """Writes that are on the disk, a second: one by one, in bulk, at the log itself; and what the disk does."""
    if "service writes" not in bench.contests:
        stage = staged(bench)
        seconds, more = stage.size.seconds, stage.more
        disk = fsyncs_a_second(stage.directory, min(2.0, seconds))
        requests = [(f"/expressions/o{number}", _body(text)) for number, text in enumerate(more)]
        write_requests(stage.directory / "put", requests)
        alone = run_wrk(stage.server, stage.directory / "put", method="PUT", seconds=seconds, connections=CONNECTIONS)
        rows = [_put_row(f"r{number}", text) for number, text in enumerate(more)]
        started = perf_counter()
        for first in range(0, len(rows), BULK_ROWS):
            stage.server.ask("POST", "/expressions", b"".join(rows[first : first + BULK_ROWS]), _of(LINES))
        bulk = len(rows) / (perf_counter() - started)
        bench.contests["service writes"] = {
            "disk": disk,
            "disk_after": fsyncs_a_second(stage.directory, min(2.0, seconds)),
            "one_by_one": alone.requests_a_second,
            "p50_ms": alone.p50_ms,
            "p99_ms": alone.p99_ms,
            "failed": alone.num_failed,
            "bulk_rows": bulk,
            "log": _log_rate(stage, rows, min(2.0, seconds)),
        }
    found: dict[str, Any] = bench.contests["service writes"]
    return found


def _body(text: str) -> bytes:
    return json.dumps({"expression": text}).encode()


def _log_rate(stage: Stage, payloads: list[bytes], seconds: float) -> float:
    """Records a second at the log, of as many at once as there are writers."""
    log = Log.open(stage.directory / "log alone")
    groups = cycle([payloads[first : first + CONNECTIONS] for first in range(0, len(payloads), CONNECTIONS)])
    number, started = 0, perf_counter()
    while (passed := perf_counter() - started) < seconds:
        number += len(log.append(next(groups)))
    log.close()
    return number / passed


def write_rate(bench: Bench, name: str) -> Outcome:
    """Writes a second."""
    found = writes(bench)
    details = {"p50_ms": found["p50_ms"], "p99_ms": found["p99_ms"], "failed": found["failed"]}
    return Outcome(found[name], told(details) if name == "one_by_one" else {})


def against_disk(bench: Bench, name: str) -> Outcome:
    """How many times the disk's own fsyncs."""
    found = writes(bench)
    disk = (found["disk"] + found["disk_after"]) / 2
    return Outcome(found[name] / disk, {"fsyncs_a_second": round(disk), "writes_a_second": round(found[name])})


def mixed(bench: Bench) -> dict[str, Any]:
    """Everything at once, for a long time."""
    if "service mixed" not in bench.contests:
        stage = staged(bench)
        lines, documents, bulk = Connection(stage.server), Connection(stage.server), Connection(stage.server)

        def ask_lines(number: int) -> None:
            first = number * 500 % (len(stage.events) - 500)
            lines.ask("POST", "/match", b"\n".join(stage.events[first : first + 500]), LINES)

        def add_document(number: int) -> None:
            documents.ask("POST", "/documents", stage.events[number % len(stage.events)])

        def put_many(number: int) -> None:
            first = number * 200 % max(1, len(stage.more) - 200)
            texts = stage.more[first : first + 200]
            bulk.ask("POST", "/expressions", b"".join(_put_row(f"m{at}", text) for at, text in enumerate(texts)), LINES)

        memory: list[tuple[float, int]] = []
        began = perf_counter()

        def look(_: int) -> None:
            memory.append((round(perf_counter() - began, 1), stage.server.resident_bytes()))

        pause = 5.0 if bench.is_full else 0.25
        with ExitStack() as stack:
            paced = {
                "puts and deletes": stack.enter_context(stage.writer()),
                "bodies of 500 lines": stack.enter_context(Paced(2, ask_lines)),
                "documents": stack.enter_context(Paced(50, add_document)),
                "bulk puts of 200 rows": stack.enter_context(Paced(0.5, put_many)),
            }
            delivery = stack.enter_context(DeliveryLoad(stage.server, PUBLICATIONS_A_SECOND, bench.seed))
            watch = stack.enter_context(Paced(1 / pause, look))
            load = stage.wrk("match", stage.size.long_seconds, connections=16)
            sleep(pause)
        errors = [f"{name}: {error}" for name, each in paced.items() for error in each.errors] + watch.errors
        errors += [f"delivery: {error}" for error in delivery.errors]
        done = {name: each.num_done for name, each in paced.items()}
        bench.contests["service mixed"] = {
            "load": load,
            "errors": errors,
            "memory": memory,
            "done": done | {"publications": delivery.num_published, "deliveries": delivery.num_delivered},
        }
    found: dict[str, Any] = bench.contests["service mixed"]
    return found


def mixed_errors(bench: Bench) -> Outcome:
    """Requests that failed."""
    found = mixed(bench)
    load: Load = found["load"]
    details = {"single_events": load.num_requests, **found["done"], "p50_ms": load.p50_ms, "p99_ms": load.p99_ms}
    details |= {"events_a_second": round(load.requests_a_second), "seconds": staged(bench).size.long_seconds}
    return Outcome(float(load.num_failed + len(found["errors"])), told(details) | {"first": found["errors"][:3]})


def memory_growth(bench: Bench) -> Outcome:
    """The memory of the server in the last fifth of the long run, against that in the second."""
    memory = mixed(bench)["memory"]
    fifth = max(1, len(memory) // 5)
    early = median(size for _, size in memory[fifth : 2 * fifth] or memory)
    late = median(size for _, size in memory[-fifth:])
    points = [(seconds, round(size / 2**20)) for seconds, size in memory]
    return Outcome(100 * (late / early - 1), {"resident_mib": points})


def ending(bench: Bench, measure: Any) -> Outcome:
    """The last measurement, after which the server ends."""
    try:
        outcome: Outcome = measure(bench)
        return outcome
    finally:
        staged(bench).close()


def _row(name: str, title: str, unit: str, run: Any, bar: Bar | None = None) -> Measurement:
    return Measurement(name, title, unit, run, bar=bar, methods=("change", "match_json_batch"))


EXPERIMENT = Experiment(
    "service",
    "What does a question cost over HTTP, and what does a write?",
    (
        _row("bare", "a bare handler that answers a constant", "requests/s", partial(requests_a_second, name="bare")),
        _row("match", "/match, one event", "requests/s", partial(requests_a_second, name="match")),
        _row("match_share", "of the bare handler", "%", partial(share_of_bare, name="match"), Bar(50)),
        _row("writes", "/match beside 100 writes/s", "requests/s", partial(requests_a_second, name="writes")),
        _row("writes_share", "of the bare handler, beside writes", "%", partial(share_of_bare, name="writes"), Bar(50)),
        _row("lines_share", "NDJSON, of the library's own rate", "%", partial(batch_share, kind=LINES), Bar(70)),
        _row("arrow_share", "Arrow, of the library's own rate", "%", partial(batch_share, kind=ARROW), Bar(70)),
        _row("put", "PUT one by one, 64 writers", "writes/s", partial(write_rate, name="one_by_one")),
        _row("put_times", "PUT, times the disk's fsyncs", "times", partial(against_disk, name="one_by_one"), Bar(10)),
        _row("bulk_times", "rows in bulk, times the disk's fsyncs", "times", partial(against_disk, name="bulk_rows")),
        _row("log_times", "the log, groups of 64, times the disk's fsyncs", "times", partial(against_disk, name="log")),
        _row("errors", "mixed load: requests that failed", "requests", mixed_errors, Bar(0, at_least=False)),
        _row(
            "growth",
            "mixed load: memory, last fifth against second",
            "%",
            partial(ending, measure=memory_growth),
            Bar(10, at_least=False),
        ),
    ),
)
