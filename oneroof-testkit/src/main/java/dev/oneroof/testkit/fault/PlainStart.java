package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes of a test alike, however the tests themselves were started: from a terminal, by a service, or by
 * {@code nohup … &}, in an environment that is set up for somebody's own database.
 */
public final class PlainStart {
    /** Settings of OneRoof, of PostgreSQL's clients, of the JVM and of terminals; scripts still find their Java. */
    private static final Set<String> DROPPED =
            Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "NO_COLOR", "COLUMNS", "LINES");

    private static final Set<String> KEPT = Set.of("ONEROOF_JAVA_HOME", "ONEROOF_JDK_DIRS", "ONEROOF_BUILD");
    private static final int SIGINT = 2;

    /** What can start a process that heeds SIGINT from one that ignores it. A shell cannot: POSIX forbids it. */
    private static final List<List<String>> WAYS = List.of(
            List.of("env", "--default-signal=INT"),
            List.of("perl", "-e", "$SIG{INT} = 'DEFAULT'; exec { $ARGV[0] } @ARGV or exit 127"));

    private static @Nullable List<String> way;

    private PlainStart() {}

    /** A process that heeds Ctrl-C, with none of the settings of this JVM's environment. It has the id of the command. */
    public static ProcessBuilder of(List<String> command) {
        List<String> all = new ArrayList<>(way());
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all);
        drop(builder.environment());
        return builder;
    }

    static void drop(Map<String, String> environment) {
        environment
                .keySet()
                .removeIf(name -> DROPPED.contains(name)
                        || name.startsWith("PG")
                        || (name.startsWith("ONEROOF_") && !KEPT.contains(name)));
    }

    /** A process that was started in the background by a shell ignores SIGINT, and so does all that it starts. */
    private static synchronized List<String> way() {
        if (way == null) {
            way = ignoresInterrupts(ProcessHandle.current().pid(), true)
                    ? WAYS.stream().filter(PlainStart::works).findFirst().orElse(List.of())
                    : List.of();
        }
        return way;
    }

    /** Whether a process ignores SIGINT; where the system does not tell, the answer is the one that is given. */
    static boolean ignoresInterrupts(long pid, boolean otherwise) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("SigIgn:"))
                    .map(line -> Long.parseUnsignedLong(
                            line.substring("SigIgn:".length()).strip(), 16))
                    .map(ignored -> (ignored & (1L << (SIGINT - 1))) != 0)
                    .findFirst()
                    .orElse(otherwise);
        } catch (IOException e) {
            return otherwise;
        }
    }

    private static boolean works(List<String> way) {
        List<String> trial = new ArrayList<>(way);
        trial.add("true");
        try {
            Process process = new ProcessBuilder(trial)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Await.upTo(Duration.ofSeconds(10)).until("the end of " + trial, () -> !process.isAlive());
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
