package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.Job;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A job while its handler runs. */
final class RunningJob implements Job {
    /** The most lines that the database keeps of an attempt. */
    private static final int MOST_LINES = 1000;
    /** In UTF-16 units, at least as long as the 500 characters that the database keeps. */
    private static final int LONGEST_LINE = 1000;

    private final LeasedJob leased;
    private final JobHandlerSpec spec;
    private final JobLogWriter logWriter;
    private final List<JobLogWriter.Entry> lines = new ArrayList<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final Thread thread = Thread.currentThread();
    private final long startedNanos = System.nanoTime();
    private volatile @Nullable Stop stop;
    private volatile boolean isStarted;
    private boolean isEnded;

    /** Why its handler was interrupted. */
    enum Stop {
        CANCELLED,
        LOST,
        DEADLINE,
        SHUTDOWN
    }

    /** @param logWriter writes on another connection: the handler may hold the last one of the pool */
    RunningJob(LeasedJob leased, JobHandlerSpec spec, JobLogWriter logWriter) {
        this.leased = leased;
        this.spec = spec;
        this.logWriter = logWriter;
    }

    Duration deadline() {
        return spec.kind().times().deadline();
    }

    boolean isPast(Duration time) {
        return nanos() > time.toNanos();
    }

    /** The handler is called: from here on this is an attempt. */
    void start() {
        isStarted = true;
    }

    boolean isStarted() {
        return isStarted;
    }

    LeasedJob leased() {
        return leased;
    }

    long nanos() {
        return System.nanoTime() - startedNanos;
    }

    @Nullable
    Stop stopped() {
        return stop;
    }

    /** Interrupts the handler, once, and only while it runs: its thread continues with other jobs. */
    synchronized void stop(Stop why) {
        if (stop == null && !isEnded) {
            stop = why;
            thread.interrupt();
        }
    }

    /** The handler has ended. An interrupt that it did not see must not reach the next one. */
    synchronized void ended() {
        isEnded = true;
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
        keep(line, null);
    }

    @Override
    public void progress(int percent, String line) {
        if (percent < 0 || percent > 100) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "percent: '%d' is not allowed; allowed are 0 to 100".formatted(percent));
        }
        keep(line, percent);
    }

    private void keep(String line, @Nullable Integer percent) {
        String cut = line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE);
        // Half a surrogate pair would be rejected, and with it the transaction that writes it.
        byte[] whole = cut.getBytes(StandardCharsets.UTF_8);
        keep(new JobLogWriter.Line(new String(whole, StandardCharsets.UTF_8), percent));
    }

    /** Beyond the lines that are kept only the last one counts: it replaces one that still waits. */
    private void keep(JobLogWriter.Line line) {
        JobLogWriter.Entry one = new JobLogWriter.Entry(leased, line, writing);
        synchronized (lines) {
            if (lines.size() > MOST_LINES) {
                if (lines.getLast().replaceBy(line)) {
                    return;
                }
                lines.removeLast();
            }
            lines.add(one);
        }
        logWriter.add(one);
    }

    /** Writes the remaining lines in the transaction that ends the job: after its commit they would be refused. */
    void writeRest(Tx tx) {
        List<JobLogWriter.Entry> all;
        synchronized (lines) {
            all = List.copyOf(lines);
        }
        logWriter.writeRest(tx, all);
    }
}
