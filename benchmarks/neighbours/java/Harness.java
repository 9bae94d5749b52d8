import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * How is a library in Java asked? Built from a file, compared, warmed up, and only then timed; see exchange.py for the files
 * and process.py for the talk.
 */
final class Harness {

    /** A library with an index of conjunctions. An event is in the form that the library takes, or made into it by {@code ask}. */
    interface Neighbour<E> {
        /** A conjunction; each predicate is a name and its values, as they stand in the file. */
        void add(int id, List<String[]> predicates) throws Exception;

        /** All conjunctions have been added. */
        void finish() throws Exception;

        /** From the values of an event to the library's own type for it; not timed. */
        E prepare(Map<String, Object> event) throws Exception;

        /** The ids of the conjunctions that the event satisfies; this is what is timed. */
        int[] ask(E event) throws Exception;

        /** A first part of the warm-up is over: whatever a library does once it knows what it is asked. */
        default void settle() throws Exception {}
    }

    static <E> void run(String[] arguments, Callable<Neighbour<E>> made) throws Exception {
        Path directory = Path.of(arguments[0]);
        double warmSeconds = Double.parseDouble(arguments[1]);
        double mostSeconds = Double.parseDouble(arguments[2]);
        PrintStream out = System.out;
        System.setOut(System.err);

        long before = usedHeap();
        long started = System.nanoTime();
        Neighbour<E> neighbour = made.call();
        int number = 0;
        try (BufferedReader lines = Files.newBufferedReader(directory.resolve("expressions.tsv"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                neighbour.add(number++, fields(line));
            }
        }
        neighbour.finish();
        double buildSeconds = (System.nanoTime() - started) / 1e9;
        long heap = usedHeap() - before;
        String runtime = "Java " + System.getProperty("java.version");
        out.printf("{\"build_s\": %s, \"bytes\": %d, \"kind\": \"heap\", \"runtime\": \"%s\"}%n", buildSeconds, heap, runtime);
        out.flush();

        answer(directory, neighbour);
        out.println("{\"answered\": true}");
        out.flush();
        if (new BufferedReader(new InputStreamReader(System.in)).readLine() == null) {
            return;
        }

        List<E> warm = events(directory.resolve("warm.tsv"), neighbour);
        List<E> asked = events(directory.resolve("asked.tsv"), neighbour);
        warmUp(neighbour, warm, warmSeconds / 2);
        neighbour.settle();
        warmUp(neighbour, warm, warmSeconds);
        List<Long> times = new ArrayList<>();
        long matches = 0;
        long first = System.nanoTime();
        for (E event : asked) {
            long asking = System.nanoTime();
            int[] found = neighbour.ask(event);
            long done = System.nanoTime();
            times.add(done - asking);
            matches += found.length;
            if (done - first > mostSeconds * 1e9) {
                break;
            }
        }
        out.println("{\"times_ns\": " + times + ", \"matches\": " + matches + "}");
        out.flush();
    }

    private static <E> void warmUp(Neighbour<E> neighbour, List<E> events, double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int place = 0; System.nanoTime() < end; place = (place + 1) % events.size()) {
            neighbour.ask(events.get(place));
        }
    }

    private static <E> void answer(Path directory, Neighbour<E> neighbour) throws Exception {
        StringBuilder answers = new StringBuilder();
        for (E event : events(directory.resolve("checked.tsv"), neighbour)) {
            int[] found = neighbour.ask(event);
            Arrays.sort(found);
            for (int id : found) {
                answers.append(id).append(' ');
            }
            answers.append('\n');
        }
        Files.writeString(directory.resolve("answers.txt"), answers);
    }

    private static <E> List<E> events(Path path, Neighbour<E> neighbour) throws Exception {
        List<E> events = new ArrayList<>();
        for (String line : Files.readAllLines(path)) {
            Map<String, Object> event = new HashMap<>();
            for (String[] field : fields(line)) {
                event.put(field[0], value(field));
            }
            events.add(neighbour.prepare(event));
        }
        return events;
    }

    private static Object value(String[] field) {
        return switch (field[0].charAt(0)) {
            case 'r' -> Long.valueOf(field[1]);
            case 's' -> field[1];
            default -> List.of(field).subList(1, field.length);
        };
    }

    private static List<String[]> fields(String line) {
        List<String[]> fields = new ArrayList<>();
        for (String field : line.split("\t")) {
            fields.add(field.split(" "));
        }
        return fields;
    }

    private static long usedHeap() throws InterruptedException {
        for (int round = 0; round < 3; round++) {
            System.gc();
            Thread.sleep(50);
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private Harness() {}
}
