package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.JobLogLine;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log lines of handlers. Lines matter less than outcomes: one that cannot be written now is dropped, and the number
 * of waiting lines is bounded.
 */
public final class JobLogWriter {
    private static final Logger log = LoggerFactory.getLogger(JobLogWriter.class);
    /** The most lines that wait. More would wait only while the database is slower than the handlers. */
    static final int MOST_WAITING = 10_000;

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT_FOR_HANDLERS = Duration.ofMillis(20);

    private final Database db;
    private final JobLeaseStore store;
    private final Consumer<Entry> queue;
    private final Waiting waiting;
    private final RetryQueue<Entry> skipped = new RetryQueue<>(Duration.ofMillis(100));
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    /** @param queue takes a line to the thread that {@linkplain #write(List, Set) writes} it */
    public JobLogWriter(Database db, JobLeaseStore store, Consumer<Entry> queue, Waiting waiting) {
        this.db = db;
        this.store = store;
        this.queue = queue;
        this.waiting = waiting;
    }

    /** A line, and the progress of the job. */
    public record Line(String text, @Nullable Integer percent) {}

    /**
     * A line of a job. It is written once: by the outcome writer, or by the handler's own transaction if that ends the job
     * first.
     */
    public static final class Entry implements OutcomeWriter.Entry {
        private final LeasedJob job;
        private final ReentrantLock writing;
        private Line line;
        private boolean isWritten;
        /** Whether it is still to be written by the outcome writer. */
        private volatile boolean isQueued;

        /** @param writing one lock for all lines of a job: it keeps their order, and no line is written while the job is ended */
        public Entry(LeasedJob job, Line line, ReentrantLock writing) {
            this.job = job;
            this.line = line;
            this.writing = writing;
        }

        LeasedJob job() {
            return job;
        }

        private void markUnwritten() {
            mark(false);
        }

        private void markRejected() {
            mark(true);
        }

        private void mark(boolean written) {
            writing.lock();
            try {
                isWritten = written;
            } finally {
                writing.unlock();
            }
        }

        private JobLogLine asLogLine() {
            return new JobLogLine(job, line.text(), line.percent());
        }

        /** Replaces its text by a newer one; false if it is written, being written, or was dropped. */
        boolean replaceBy(Line newer) {
            if (!writing.tryLock()) {
                return false;
            }
            try {
                boolean isReplaceable = isQueued && !isWritten;
                if (isReplaceable) {
                    line = newer;
                }
                return isReplaceable;
            } finally {
                writing.unlock();
            }
        }
    }

    public void add(Entry line) {
        if (unwritten.get() >= MOST_WAITING) {
            if (dropped.getAndIncrement() % MOST_WAITING == 0) {
                log.warn("more than {} log lines of handlers wait; dropping lines", MOST_WAITING);
            }
            return;
        }
        unwritten.incrementAndGet();
        line.isQueued = true;
        queue.accept(line);
    }

    /**
     * Writes lines in a transaction of their own. It waits for an unavailable server, which takes no outcomes either. It does
     * not wait for a handler whose transaction is writing its lines: those are skipped, and written before later lines of
     * their job if that transaction fails. Called by one thread.
     *
     * @param ending jobs whose outcome is written next: no handler writes their lines, and after the outcome they would be
     *     refused
     */
    public void write(List<Entry> lines, Set<LeasedJob.Key> ending) {
        Set<LeasedJob.Key> jobs =
                lines.stream().map(line -> line.job().lease()).collect(Collectors.toCollection(HashSet::new));
        jobs.addAll(ending);
        List<Entry> before =
                skipped.due(System.nanoTime(), line -> jobs.contains(line.job().lease()));
        List<Entry> all = Stream.concat(before.stream(), lines.stream()).toList();
        Set<Entry> busy = new LinkedHashSet<>();
        try {
            boolean continues = true;
            while (!all.isEmpty() && !isDone(all, busy) && continues) {
                continues = waiting.pause(RETRY);
            }
        } finally {
            all.stream().filter(line -> !busy.contains(line)).forEach(line -> line.isQueued = false);
            unwritten.addAndGet(busy.size() - all.size());
            skipped.add(busy, System.nanoTime());
        }
    }

    /** False if the server is unavailable. */
    private boolean isDone(List<Entry> lines, Set<Entry> busy) {
        try {
            db.useTx(tx -> {
                store.waitNoLongerThan(tx, LOCK_TIMEOUT);
                busy.addAll(writeFree(tx, lines));
            });
            return true;
        } catch (RuntimeException e) {
            if (WriteFailures.isRejected(e) && lines.size() > 1) {
                // One line is rejected, maybe by the encoding of the database. The others are written.
                lines.forEach(line -> isDone(List.of(line), busy));
                return true;
            }
            log.warn("could not write {} log lines of handlers: {}", lines.size(), e.getMessage());
            if (WriteFailures.isRejected(e)) {
                // The transaction of its job must not try it either: it would fail.
                lines.forEach(Entry::markRejected);
            }
            return !SqlState.isTransient(e) || SqlState.isHeldUp(e);
        }
    }

    /** Writes the lines that no handler is writing, which may last as long as its transaction; returns the others. */
    private List<Entry> writeFree(Tx tx, List<Entry> lines) {
        long untilNanos = System.nanoTime() + LONGEST_WAIT_FOR_HANDLERS.toNanos();
        List<ReentrantLock> free = lines.stream()
                .map(one -> one.writing)
                .distinct()
                .filter(lock -> isFree(lock, untilNanos))
                .toList();
        try {
            Map<Boolean, List<Entry>> byMine =
                    lines.stream().collect(Collectors.partitioningBy(one -> one.writing.isHeldByCurrentThread()));
            write(tx, byMine.getOrDefault(true, List.of()));
            return byMine.getOrDefault(false, List.of());
        } finally {
            free.forEach(ReentrantLock::unlock);
        }
    }

    /** A handler that replaces a line holds the lock briefly. The wait for that is bounded over all lines together. */
    private static boolean isFree(ReentrantLock lock, long untilNanos) {
        try {
            return lock.tryLock(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lock.tryLock();
        }
    }

    /** Writes those that are not written yet in the caller's transaction, and returns them. A rollback marks them as unwritten. */
    List<Entry> write(Tx tx, Collection<Entry> lines) {
        List<ReentrantLock> locks =
                lines.stream().map(one -> one.writing).distinct().toList();
        // In any order: no thread that holds one of these locks waits for another.
        locks.forEach(ReentrantLock::lock);
        try {
            List<Entry> fresh =
                    lines.stream().filter(one -> !one.isWritten).distinct().toList();
            if (!fresh.isEmpty()) {
                store.say(tx, fresh.stream().map(Entry::asLogLine).toList());
                fresh.forEach(one -> one.isWritten = true);
                tx.onRollback(() -> fresh.forEach(Entry::markUnwritten));
            }
            return fresh;
        } finally {
            locks.forEach(ReentrantLock::unlock);
        }
    }

    /**
     * As {@link #write(Tx, Collection)}, in the transaction that ends the job. If that is rolled back, the lines are written
     * without it. A rejected line does not make it fail.
     */
    void writeRest(Tx tx, Collection<Entry> lines) {
        if (lines.isEmpty()) {
            return;
        }
        tx.orElse(
                () -> {
                    List<Entry> written = write(tx, lines);
                    tx.onRollback(() -> written.forEach(this::add));
                },
                failure -> {
                    if (!WriteFailures.isRejected(failure)) {
                        throw failure;
                    }
                    log.warn("could not write {} log lines of a handler: {}", lines.size(), failure.getMessage());
                });
    }
}
