package dev.oneroof.bench.trials;

import dev.oneroof.testkit.fault.JavaProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Two processes over the same sources. One that is killed is followed by another, under a name of its own. */
final class Pair implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);

    private final Instance instance;
    private final Map<String, JavaProcess> processes = new HashMap<>();
    private int started;

    Pair(Instance instance) {
        this.instance = instance;
        startOne();
        startOne();
    }

    private void startOne() {
        String name =
                "%s-%d-%d".formatted(instance.trial(), ProcessHandle.current().pid(), ++started);
        processes.put(name, instance.startProcess(name));
    }

    /** Waits until both have started. */
    void awaitReady() {
        for (JavaProcess process : List.copyOf(processes.values())) {
            if (process.out().lines().isEmpty()) {
                process.out().await(Child.READY::equals, START);
            }
        }
    }

    Optional<JavaProcess> named(String name) {
        return Optional.ofNullable(processes.get(name));
    }

    void killAndReplace(String name) {
        JavaProcess process = processes.remove(name);
        if (process != null) {
            process.kill();
            process.close();
            startOne();
        }
    }

    @Override
    public void close() {
        processes.values().forEach(JavaProcess::close);
    }
}
