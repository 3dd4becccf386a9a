package dev.oneroof.core.schedule;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A process that fires schedules while no other does, for tests that kill or freeze it. */
final class KeepingProcess {
    private static final String READY = "ready";
    private static final String PASSWORD = "KEEPING_PASSWORD";

    private KeepingProcess() {}

    /** Starts it and waits until it runs. */
    static JavaProcess start(TestDatabase database, String name) {
        JavaProcess process = JavaProcess.of(KeepingProcess.class)
                .jvmOptions("-Xmx96m")
                .arguments(database.jdbcUrl(), database.address().user(), name)
                .environment(PASSWORD, database.address().password())
                .start();
        process.out().await(READY);
        return process;
    }

    public static void main(String[] arguments) throws IOException {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setUrl(arguments[0]);
        sessions.setUser(arguments[1]);
        sessions.setPassword(System.getenv(PASSWORD));
        LoopConfig quick = new LoopConfig(
                Duration.ofSeconds(2), Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(1));
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named(arguments[2]).withLoop(quick), sessions)) {
            oneroof.start();
            System.out.println(READY);
            while (System.in.read() >= 0) {
                // Nothing is said on it; its end is the end.
            }
        }
    }
}
