package dev.oneroof.core.job;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** A process with one carrier thread, which a handler keeps. It continues to enqueue jobs that it would run. */
final class SpinningProcess {
    private static final String READY = "ready";
    private static final String PASSWORD = "SPINNING_PASSWORD";

    private SpinningProcess() {}

    /** Starts it and waits until its handler spins. */
    static JavaProcess start(TestDatabase database) {
        JavaProcess process = JavaProcess.of(SpinningProcess.class)
                .jvmOptions(
                        "-Xmx96m",
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1")
                .arguments(database.jdbcUrl(), database.address().user())
                .environment(PASSWORD, database.address().password())
                .start();
        process.out().await(READY);
        return process;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setUrl(arguments[0]);
        sessions.setUser(arguments[1]);
        sessions.setPassword(System.getenv(PASSWORD));
        CountDownLatch spins = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("busy"), sessions)) {
            oneroof.work(JobKind.named("spin")).atOnce(1).each(job -> {
                spins.countDown();
                while (true) {
                    Thread.onSpinWait();
                }
            });
            oneroof.work(JobKind.named("mark_file").triedUpTo(3)).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("spin", Payload.EMPTY));
            spins.await();
            System.out.println(READY);
            while (!new CountDownLatch(1).await(500, TimeUnit.MILLISECONDS)) {
                oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            }
        }
    }
}
