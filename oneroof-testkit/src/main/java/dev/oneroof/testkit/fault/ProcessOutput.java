package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The lines of one stream of a process, read as they come so that it never blocks on a full pipe. */
public final class ProcessOutput {
    private final List<String> lines = new ArrayList<>();
    private int awaited;
    private boolean ended;

    private ProcessOutput() {}

    static ProcessOutput of(BufferedReader reader) {
        ProcessOutput output = new ProcessOutput();
        // A process that shares its pipe with a child keeps this open after its death; a virtual thread holds up
        // nobody.
        Thread.ofVirtual().name("process-output").start(() -> output.read(reader));
        return output;
    }

    private void read(BufferedReader reader) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            // The process was killed while it was being read; what came until then counts.
            end();
            return;
        }
        end();
    }

    private synchronized void add(String line) {
        lines.add(line);
    }

    private synchronized void end() {
        ended = true;
    }

    /** Everything that was said, once the output has ended. */
    public String whole() {
        Await.patiently().until("the end of the output", this::hasEnded);
        return String.join("\n", lines());
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    /** All lines so far. */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Waits for a line, and returns it. Lines up to the one awaited last are not looked at again, so that the second
     * "ready" is not mistaken for the first. The end of the output ends the waiting.
     */
    public String await(Predicate<String> wanted, Duration limit) {
        return Await.upTo(limit)
                .until("a line of the process", () -> next(wanted), found -> found.isPresent())
                .orElseThrow();
    }

    /** Waits for a line that contains the text. */
    public String await(String text) {
        return await(line -> line.contains(text), Duration.ofSeconds(30));
    }

    private synchronized Optional<String> next(Predicate<String> wanted) {
        for (int i = awaited; i < lines.size(); i++) {
            if (wanted.test(lines.get(i))) {
                awaited = i + 1;
                return Optional.of(lines.get(i));
            }
        }
        if (ended) {
            throw new AssertionError("The process ended its output without the line awaited; it said: " + lines);
        }
        return Optional.empty();
    }
}
