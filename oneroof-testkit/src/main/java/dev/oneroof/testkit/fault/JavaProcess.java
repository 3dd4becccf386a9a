package dev.oneroof.testkit.fault;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.await.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own with the class path of this one, for tests that kill or freeze a process. Closing it kills it and
 * all that it has started. It starts as {@link PlainStart} says. Signals need a Unix.
 */
public final class JavaProcess implements AutoCloseable {
    private final Process process;
    private final ProcessOutput out;
    private final ProcessOutput err;
    /** Remembered before each blow: the children of a dead process are nobody's descendants any more. */
    private final Set<ProcessHandle> descendants = new LinkedHashSet<>();

    private JavaProcess(Process process) {
        this.process = process;
        this.out = ProcessOutput.of(process.inputReader());
        this.err = ProcessOutput.of(process.errorReader());
    }

    public static Launch of(Class<?> mainClass) {
        return new Launch(mainClass.getName());
    }

    public long pid() {
        return process.pid();
    }

    public ProcessOutput out() {
        return out;
    }

    public ProcessOutput err() {
        return err;
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** Ends it at once, as {@code kill -9} does: no shutdown hook runs, nothing is flushed or closed. */
    public void kill() {
        rememberDescendants();
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(10));
    }

    /** Freezes it: its connections stay open and silent, its leases run out. */
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    /** Asks it to end, as a service manager does; returns at once. */
    public void terminate() {
        signal("TERM");
    }

    /** Ctrl-C; returns at once. */
    public void interrupt() {
        if (PlainStart.ignoresInterrupts(pid(), false)) {
            throw new OneRoofException(
                    ErrorCode.FAILED,
                    "Process " + pid()
                            + " ignores SIGINT, as the tests do: they were started in the background by a shell."
                            + " Start them in the foreground, or install GNU env (coreutils 8.31) or perl");
        }
        signal("INT");
    }

    /** Waits for the end and returns the exit code; 128 plus its number where a signal ended it. */
    public int awaitExit(Duration limit) {
        Await.upTo(limit).until("the end of process " + pid(), () -> !process.isAlive());
        return process.exitValue();
    }

    @Override
    public void close() {
        rememberDescendants();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        awaitExit(Duration.ofSeconds(10));
    }

    private void rememberDescendants() {
        process.descendants().forEach(descendants::add);
    }

    private void signal(String name) {
        rememberDescendants();
        try {
            // The shell's own kill: a slim machine has no program of that name.
            Process kill = new ProcessBuilder("sh", "-c", "kill -s " + name + " " + pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Await.patiently().until("kill -s " + name, () -> !kill.isAlive());
            if (kill.exitValue() != 0) {
                throw new OneRoofException(
                        ErrorCode.FAILED,
                        "Process " + pid() + " cannot get the signal " + name + "; alive: " + alive());
            }
        } catch (IOException e) {
            throw new OneRoofException(ErrorCode.FAILED, "Cannot run kill: " + e.getMessage(), e);
        }
    }

    /** A process to be. */
    public static final class Launch {
        private final String mainClass;
        private final List<String> jvmOptions = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, String> environment = new HashMap<>();
        private final List<String> before = new ArrayList<>();
        private @Nullable Path directory;

        private Launch(String mainClass) {
            this.mainClass = mainClass;
        }

        public Launch jvmOptions(String... options) {
            jvmOptions.addAll(List.of(options));
            return this;
        }

        public Launch arguments(String... values) {
            arguments.addAll(List.of(values));
            return this;
        }

        public Launch environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** Started by this command, which is given the JVM's as its last arguments and becomes it. */
        Launch behind(String... command) {
            before.addAll(List.of(command));
            return this;
        }

        public Launch in(Path workingDirectory) {
            directory = workingDirectory;
            return this;
        }

        public JavaProcess start() {
            ProcessBuilder builder = PlainStart.of(command());
            builder.environment().putAll(environment);
            if (directory != null) {
                builder.directory(directory.toFile());
            }
            try {
                return new JavaProcess(builder.start());
            } catch (IOException e) {
                throw new OneRoofException(ErrorCode.FAILED, "Cannot start " + mainClass + ": " + e.getMessage(), e);
            }
        }

        private List<String> command() {
            List<String> command = new ArrayList<>(before);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            // Short-lived: quick to start counts for more than quick to run.
            command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
            command.addAll(jvmOptions);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
            command.addAll(arguments);
            return command;
        }
    }
}
