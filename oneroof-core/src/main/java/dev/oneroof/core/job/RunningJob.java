package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job while its handler is at it. */
final class RunningJob implements Job {
    private final LeasedJob leased;
    private final Database db;
    private final JobStore store;
    private final Thread thread = Thread.currentThread();
    private final long begunNanos = System.nanoTime();
    private volatile @Nullable Stop stop;
    private boolean isOver;

    /** Why its handler was interrupted. */
    enum Stop {
        CANCELLED,
        LOST,
        DEADLINE,
        SHUTDOWN
    }

    RunningJob(LeasedJob leased, Database db, JobStore store) {
        this.leased = leased;
        this.db = db;
        this.store = store;
    }

    LeasedJob leased() {
        return leased;
    }

    long nanos() {
        return System.nanoTime() - begunNanos;
    }

    @Nullable
    Stop stopped() {
        return stop;
    }

    /** Tells the handler, once, and only while it runs: the thread goes on to other jobs. */
    synchronized void stop(Stop why) {
        if (stop == null && !isOver) {
            stop = why;
            thread.interrupt();
        }
    }

    /** The handler has ended. An interrupt that it has not looked at was meant for nobody else. */
    synchronized void over() {
        isOver = true;
        Thread.interrupted();
    }

    @Override
    public JobId id() {
        return leased.id();
    }

    @Override
    public String kind() {
        return leased.kind();
    }

    @Override
    public String payload() {
        return leased.payload();
    }

    @Override
    public int attempt() {
        return leased.attempt();
    }

    @Override
    public int maxAttempts() {
        return leased.maxAttempts();
    }

    @Override
    public @Nullable String key() {
        return leased.key();
    }

    @Override
    public @Nullable UUID run() {
        return leased.run();
    }

    @Override
    public boolean isCancelled() {
        return stop != null;
    }

    @Override
    public void say(String line) {
        db.useTx(tx -> store.say(tx, leased, line, null));
    }

    @Override
    public void progress(int percent, String line) {
        db.useTx(tx -> store.say(tx, leased, line, percent));
    }
}
