package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.Job;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobWork;
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

/** A job while its handler is at it. */
final class RunningJob implements Job {
    /** As many as are kept of an attempt. */
    private static final int MOST_LINES = 1000;
    /** As long as what is kept of one, in whatever signs. */
    private static final int LONGEST_LINE = 1000;

    private final LeasedJob leased;
    private final JobWork work;
    private final Lines lines;
    private final List<Lines.Said> said = new ArrayList<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final Thread thread = Thread.currentThread();
    private final long begunNanos = System.nanoTime();
    private volatile @Nullable Stop stop;
    private volatile boolean isBegun;
    private boolean isOver;

    /** Why its handler was interrupted. */
    enum Stop {
        CANCELLED,
        LOST,
        DEADLINE,
        SHUTDOWN
    }

    /** @param lines writes down what the handler says: the handler itself may have the last connection there is */
    RunningJob(LeasedJob leased, JobWork work, Lines lines) {
        this.leased = leased;
        this.work = work;
        this.lines = lines;
    }

    Duration deadline() {
        return work.kind().times().deadline();
    }

    boolean isPast(Duration time) {
        return nanos() > time.toNanos();
    }

    /** Its handler is called: from here on this is an attempt. */
    void begin() {
        isBegun = true;
    }

    boolean isBegun() {
        return isBegun;
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
        // Half a sign would be refused, and with it the transaction it is written in.
        byte[] whole = cut.getBytes(StandardCharsets.UTF_8);
        keep(new Lines.Line(new String(whole, StandardCharsets.UTF_8), percent));
    }

    /** Past those that are kept only the last one counts: it takes the place of one that still waits. */
    private void keep(Lines.Line line) {
        Lines.Said one = new Lines.Said(leased, line, writing);
        synchronized (said) {
            if (said.size() > MOST_LINES) {
                if (said.getLast().isReplacedBy(line)) {
                    return;
                }
                said.removeLast();
            }
            said.add(one);
        }
        lines.add(one);
    }

    /** In the transaction that ends the job, what was not written down yet: from then on nobody may. */
    void sayTheRest(Tx tx) {
        List<Lines.Said> all;
        synchronized (said) {
            all = List.copyOf(said);
        }
        lines.writeTheRest(tx, all);
    }
}
