package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobLogLine;
import dev.oneroof.core.job.JobStore;
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
 * What handlers say, on its way into the database. Lines are worth less than the ends of jobs: those that cannot be kept now
 * are not kept, and of those that wait there are only so many.
 */
public final class Lines {
    private static final Logger log = LoggerFactory.getLogger(Lines.class);
    /** More than this wait only where the database takes fewer than handlers say. */
    static final int MOST = 10_000;

    private static final Duration AWAY = Duration.ofSeconds(1);
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private final Database db;
    private final JobStore store;
    private final Consumer<Said> queue;
    private final Waiting waiting;
    private final Aside<Said> aside = new Aside<>(Duration.ofMillis(100));
    private final AtomicInteger untold = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    /** @param queue takes a line along to where it is {@linkplain #keep kept} */
    public Lines(Database db, JobStore store, Consumer<Said> queue, Waiting waiting) {
        this.db = db;
        this.store = store;
        this.queue = queue;
        this.waiting = waiting;
    }

    /** A line, and how far the job is. */
    public record Line(String text, @Nullable Integer percent) {}

    /**
     * A line of a handler. It is written down by whoever comes first: the writer of ends, or the handler's own transaction
     * where that ends the job.
     */
    public static final class Said implements Ending.News {
        private final LeasedJob job;
        private final ReentrantLock writing;
        private Line line;
        private boolean isWritten;
        /** On its way to be written: what is not, nobody will write. */
        private volatile boolean isQueued;

        /** @param writing one for all lines of a job: they stay in their order, and a job is not ended while one is written */
        public Said(LeasedJob job, Line line, ReentrantLock writing) {
            this.job = job;
            this.line = line;
            this.writing = writing;
        }

        LeasedJob job() {
            return job;
        }

        private void isNotWritten() {
            mark(false);
        }

        private void isRefused() {
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

        /** Says something newer instead; false where it is written already, or just being, or will not be. */
        boolean isReplacedBy(Line newer) {
            if (!writing.tryLock()) {
                return false;
            }
            try {
                boolean isReplaced = isQueued && !isWritten;
                if (isReplaced) {
                    line = newer;
                }
                return isReplaced;
            } finally {
                writing.unlock();
            }
        }
    }

    public void add(Said line) {
        if (untold.get() >= MOST) {
            if (dropped.getAndIncrement() % MOST == 0) {
                log.warn("handlers say more than the database takes: lines are left out");
            }
            return;
        }
        untold.incrementAndGet();
        line.isQueued = true;
        queue.accept(line);
    }

    /**
     * Writes them in a transaction of their own. A database that is away takes no ends either, and is waited for. A handler
     * that is just writing its lines itself is not: where they are still there afterwards, they come again, before others of
     * their job. For one thread.
     *
     * @param ending jobs that end now: nobody is at their lines any more, and later they would be refused
     */
    public void keep(List<Said> lines, Set<LeasedJob.Key> ending) {
        Set<LeasedJob.Key> jobs =
                lines.stream().map(line -> line.job().lease()).collect(Collectors.toCollection(HashSet::new));
        jobs.addAll(ending);
        List<Said> before =
                aside.due(System.nanoTime(), line -> jobs.contains(line.job().lease()));
        List<Said> all = Stream.concat(before.stream(), lines.stream()).toList();
        Set<Said> passedBy = new LinkedHashSet<>();
        try {
            boolean goesOn = true;
            while (!all.isEmpty() && !isKept(all, passedBy) && goesOn) {
                goesOn = waiting.pause(AWAY);
            }
        } finally {
            all.stream().filter(line -> !passedBy.contains(line)).forEach(line -> line.isQueued = false);
            untold.addAndGet(passedBy.size() - all.size());
            aside.add(passedBy, System.nanoTime());
        }
    }

    private boolean isKept(List<Said> lines, Set<Said> passedBy) {
        try {
            db.useTx(tx -> {
                store.waitNoLongerThan(tx, AWAY);
                passedBy.addAll(writeFree(tx, lines));
            });
            return true;
        } catch (RuntimeException e) {
            if (Ending.isBad(e) && lines.size() > 1) {
                // One is refused, by the encoding of the database perhaps: not the others.
                lines.forEach(line -> isKept(List.of(line), passedBy));
                return true;
            }
            log.warn("{} lines of handlers were not kept: {}", lines.size(), e.getMessage());
            if (Ending.isBad(e)) {
                // Nor is it to be tried by the transaction of its job, which would fail by it.
                lines.forEach(Said::isRefused);
            }
            return !SqlState.isTransient(e) || SqlState.isHeldUp(e);
        }
    }

    /** Those that nobody else is at, which may take as long as that one's transaction; returns the others. */
    private List<Said> writeFree(Tx tx, List<Said> lines) {
        long untilNanos = System.nanoTime() + A_MOMENT.toNanos();
        List<ReentrantLock> free = lines.stream()
                .map(one -> one.writing)
                .distinct()
                .filter(lock -> isFree(lock, untilNanos))
                .toList();
        try {
            Map<Boolean, List<Said>> byMine =
                    lines.stream().collect(Collectors.partitioningBy(one -> one.writing.isHeldByCurrentThread()));
            write(tx, byMine.getOrDefault(true, List.of()));
            return byMine.getOrDefault(false, List.of());
        } finally {
            free.forEach(ReentrantLock::unlock);
        }
    }

    /** One who says something newer has it for a moment: that is waited for, but not for each of many. */
    private static boolean isFree(ReentrantLock lock, long untilNanos) {
        try {
            return lock.tryLock(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lock.tryLock();
        }
    }

    /** Those that are not written yet, in the caller's transaction; returns them. Where it fails they are not written. */
    List<Said> write(Tx tx, Collection<Said> lines) {
        List<ReentrantLock> locks =
                lines.stream().map(one -> one.writing).distinct().toList();
        // In any order: nobody who has one of them waits for a second.
        locks.forEach(ReentrantLock::lock);
        try {
            List<Said> fresh =
                    lines.stream().filter(one -> !one.isWritten).distinct().toList();
            if (!fresh.isEmpty()) {
                store.say(tx, fresh.stream().map(Said::asLogLine).toList());
                fresh.forEach(one -> one.isWritten = true);
                tx.onRollback(() -> fresh.forEach(Said::isNotWritten));
            }
            return fresh;
        } finally {
            locks.forEach(ReentrantLock::unlock);
        }
    }

    /**
     * As {@link #write}, in a transaction that ends the job: where that fails, they are kept without it. A line that is
     * refused does not make it fail.
     */
    void writeTheRest(Tx tx, Collection<Said> lines) {
        if (lines.isEmpty()) {
            return;
        }
        tx.orElse(
                () -> {
                    List<Said> written = write(tx, lines);
                    tx.onRollback(() -> written.forEach(this::add));
                },
                failure -> {
                    if (!Ending.isBad(failure)) {
                        throw failure;
                    }
                    log.warn("{} lines of a handler were not kept: {}", lines.size(), failure.getMessage());
                });
    }
}
