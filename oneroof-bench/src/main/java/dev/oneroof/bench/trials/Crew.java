package dev.oneroof.bench.trials;

import dev.oneroof.postgres.Database;
import dev.oneroof.testkit.fault.JavaProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The processes of a trial of jobs, and what is done to them, which is written down. One that is killed is followed by another,
 * under a name of its own.
 */
final class Crew implements AutoCloseable {
    private final JobInstance instance;
    private final JobTables tables;
    private final Database owner;
    private final Map<String, JavaProcess> processes = new LinkedHashMap<>();
    private final Map<String, Frozen> frozen = new HashMap<>();
    private int started;

    private record Frozen(long strike, long thawNanos) {}

    Crew(JobInstance instance, Database owner, int count) {
        this.instance = instance;
        this.tables = new JobTables(instance.trial());
        this.owner = owner;
        for (int n = 0; n < count; n++) {
            startOne();
        }
    }

    private void startOne() {
        String name =
                "%s-%d-%d".formatted(instance.trial(), ProcessHandle.current().pid(), ++started);
        processes.put(name, instance.startProcess(name));
    }

    /** Those that have started and are not frozen. One that has ended by itself is an error. */
    List<String> atWork() {
        processes.forEach((name, process) -> {
            if (!process.alive()) {
                throw new IllegalStateException("process %s has ended by itself: %s"
                        .formatted(name, lastOf(process.err().lines())));
            }
        });
        return processes.keySet().stream()
                .filter(name -> !frozen.containsKey(name))
                .filter(name -> named(name).out().lines().contains(Child.READY))
                .toList();
    }

    private static String lastOf(List<String> lines) {
        return String.join("; ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }

    void kill(String name) {
        long strike = tables.struck(owner, name, Blow.KILL);
        try (JavaProcess process = named(name)) {
            process.kill();
        }
        processes.remove(name);
        tables.over(owner, strike);
        startOne();
    }

    /** Returns at once: the others are struck meanwhile. */
    void freeze(String name, Duration length) {
        long strike = tables.struck(owner, name, Blow.STOP);
        named(name).pause();
        frozen.put(name, new Frozen(strike, System.nanoTime() + length.toNanos()));
    }

    /** Lets those go on whose time is over. */
    void thaw() {
        long now = System.nanoTime();
        frozen.entrySet().removeIf(entry -> {
            boolean isOver = entry.getValue().thawNanos() - now <= 0;
            if (isOver) {
                named(entry.getKey()).resume();
                tables.over(owner, entry.getValue().strike());
            }
            return isOver;
        });
    }

    boolean isAnyFrozen() {
        return !frozen.isEmpty();
    }

    private JavaProcess named(String name) {
        JavaProcess process = processes.get(name);
        if (process == null) {
            throw new IllegalStateException("there is no process " + name);
        }
        return process;
    }

    @Override
    public void close() {
        processes.values().forEach(JavaProcess::close);
    }
}
