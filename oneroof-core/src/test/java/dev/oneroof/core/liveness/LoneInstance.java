package dev.oneroof.core.liveness;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A process with one worker on the source {@code births}, to be treated badly. */
final class LoneInstance {
    static final LoopConfig QUICK = new LoopConfig(
            Duration.ofSeconds(3), Duration.ofMillis(500), Duration.ofMillis(200), Duration.ofSeconds(1));
    private static final String READY = "ready";
    private static final String PASSWORD = "LONE_PASSWORD";

    private LoneInstance() {}

    /** Starts it and waits until it runs. */
    static JavaProcess start(TestDatabase database, ServerAddress way, String worker) {
        JavaProcess process = JavaProcess.of(LoneInstance.class)
                .jvmOptions("-Xmx96m")
                .arguments(way.jdbcUrl(database.name()), way.user(), worker)
                .environment(PASSWORD, way.password())
                .start();
        process.out().await(READY);
        return process;
    }

    public static void main(String[] arguments) throws IOException {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setUrl(arguments[0]);
        sessions.setUser(arguments[1]);
        sessions.setPassword(System.getenv(PASSWORD));
        try (OneRoof oneroof =
                OneRoof.open(RuntimeConfig.named(arguments[2] + "-process").withLoop(QUICK), sessions)) {
            oneroof.tail(arguments[2], "births").eachRow((tx, row) -> {});
            oneroof.start();
            System.out.println(READY);
            while (System.in.read() >= 0) {
                // Nothing is said on it; its end is the end.
            }
        }
    }
}
