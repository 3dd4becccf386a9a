package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.worker.Backoff;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the outcomes of jobs and the log lines of their handlers, many in one transaction: while one commits, the next ones
 * gather. If the lease of a job was lost, its outcome changes nothing, and that is logged.
 *
 * <p>One thread writes all of it. A job whose row another transaction has locked is retried later and delays no other.
 */
public final class OutcomeWriter implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(OutcomeWriter.class);
    private static final int BATCH = 1000;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LOCKED_RETRY = Duration.ofMillis(500);
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(200);
    private static final Duration SKIP_LOCKED_FOR = Duration.ofSeconds(5);
    /** For a batch, while the server is unavailable. */
    private static final Backoff BATCH_BACKOFF = Backoff.of(Duration.ofMillis(50), Duration.ofSeconds(5));
    /** For one outcome that fails for an unknown reason. */
    private static final Backoff OUTCOME_BACKOFF = Backoff.of(Duration.ofMillis(100), Duration.ofSeconds(30));
    /** An unknown reason may pass. The lease is extended until then, so not for ever. */
    private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);
    /** How often a batch is tried as a whole if the server is available and the reason is unknown. */
    private static final int TRIES = 3;

    private final Database db;
    private final JobLeaseStore store;
    private final Consumer<Collection<LeasedJob>> onWritten;
    private final JobLogWriter logWriter;
    private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
    private final Map<LeasedJob.Key, LeasedJob> unwritten = new ConcurrentHashMap<>();
    private final RetryQueue<Finished> retries = new RetryQueue<>(LOCKED_RETRY);
    private final Waiting waiting = new Waiting();
    /** Until when to skip locked rows: one was locked recently. */
    private long skipLockedUntilNanos = System.nanoTime();

    private volatile @Nullable Finished writing;
    private volatile boolean closing;

    /** What is written by this thread. */
    sealed interface Entry permits Finished, JobLogWriter.Entry {}

    /**
     * A job and the outcome that its handler returned.
     *
     * @param nanos when it finished
     * @param failures how often this outcome alone could not be written
     */
    record Finished(LeasedJob job, Outcome outcome, String errorClass, long nanos, int failures) implements Entry {
        Finished failedAgain() {
            return new Finished(job, outcome, errorClass, nanos, failures + 1);
        }
    }

    /** @param onWritten called with the jobs whose outcome was committed */
    public OutcomeWriter(Database db, JobLeaseStore store, Consumer<Collection<LeasedJob>> onWritten) {
        this.db = db;
        this.store = store;
        this.onWritten = onWritten;
        this.logWriter = new JobLogWriter(db, store, queue::add, waiting);
    }

    void add(LeasedJob job, Outcome outcome, String errorClass) {
        unwritten.put(job.lease(), job);
        queue.add(new Finished(job, outcome, errorClass, System.nanoTime(), 0));
    }

    /** Lines are written before an outcome of their job that is added later. */
    JobLogWriter logWriter() {
        return logWriter;
    }

    /** Runs until it is closed, and all is written or given up. */
    @Override
    public void run() {
        List<Entry> batch = new ArrayList<>(BATCH);
        while (!closing || !queue.isEmpty() || !retries.isEmpty()) {
            try {
                Entry first = queue.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    queue.drainTo(batch, BATCH - 1);
                }
                writeAll(batch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error failure) {
                // The thread must not end: no outcome would be written any more.
                giveUp(of(Finished.class, batch), failure);
            } finally {
                batch.clear();
            }
        }
    }

    private void writeAll(List<Entry> batch) {
        List<Finished> finished = of(Finished.class, batch);
        writing = finished.isEmpty() ? null : finished.getFirst();
        try {
            writeLines(of(JobLogWriter.Entry.class, batch), finished);
            if (!finished.isEmpty()) {
                write(finished, 0);
            }
        } catch (RuntimeException | Error failure) {
            giveUp(finished, failure);
        } finally {
            writing = null;
        }
        retry(retries.due(System.nanoTime()));
    }

    private void writeLines(List<JobLogWriter.Entry> lines, List<Finished> finished) {
        try {
            logWriter.write(
                    lines, finished.stream().map(one -> one.job().lease()).collect(Collectors.toSet()));
        } catch (RuntimeException | Error failure) {
            log.error("could not write {} log lines of handlers", lines.size(), failure);
        }
    }

    private static <T extends Entry> List<T> of(Class<T> type, List<Entry> batch) {
        return batch.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** As long as it takes: the jobs are done. If their leases expire meanwhile, the write finds that. */
    private void write(List<Finished> batch, int tried) {
        boolean skipLocked = !retries.isEmpty() || System.nanoTime() - skipLockedUntilNanos < 0;
        int failures = 0;
        for (int tries = tried + 1; ; tries++) {
            try {
                commit(batch, skipLocked);
                return;
            } catch (RuntimeException e) {
                if (WriteFailures.isRejected(e)) {
                    writeHalves(batch, one -> giveUp(one, e));
                    return;
                }
                if (SqlState.isLockTimeout(e) && !skipLocked) {
                    skipLockedUntilNanos = System.nanoTime() + SKIP_LOCKED_FOR.toNanos();
                    skipLocked = true;
                    continue;
                }
                if (tries >= TRIES && !WriteFailures.isServerUnavailable(e)) {
                    // Too many for the statement timeout, or one of them makes all fail.
                    writeHalves(batch, one -> retryLater(one, e));
                    return;
                }
                Duration pause = BATCH_BACKOFF.delay(++failures);
                log.warn(
                        "could not record the outcome of {} jobs; retrying in {} ms: {}",
                        batch.size(),
                        pause.toMillis(),
                        e.getMessage());
                boolean continues = waiting.pause(pause);
                if (!continues && closing) {
                    giveUp(batch, e);
                    return;
                }
            }
        }
    }

    /** Finds the outcome that makes the batch fail. The halves are tried once: the whole was retried already. */
    private void writeHalves(List<Finished> batch, Consumer<List<Finished>> onSingle) {
        if (batch.size() == 1) {
            onSingle.accept(batch);
            return;
        }
        int half = batch.size() / 2;
        write(batch.subList(0, half), TRIES - 1);
        write(batch.subList(half, batch.size()), TRIES - 1);
    }

    /** One that fails for an unknown reason is retried with backoff while its lease is extended. */
    private void retryLater(List<Finished> single, RuntimeException failure) {
        Finished one = single.getFirst().failedAgain();
        if (System.nanoTime() - one.nanos() > GIVE_UP_AFTER.toNanos()) {
            giveUp(single, failure);
            return;
        }
        Duration delay = OUTCOME_BACKOFF.delay(one.failures());
        log.warn(
                "job {}: could not record its outcome; retrying in {} ms: {}",
                one.job().id(),
                delay.plus(LOCKED_RETRY).toMillis(),
                failure.getMessage());
        addRetries(List.of(one), delay);
    }

    /** Each batch once, so that new outcomes are not delayed. */
    private void retry(List<Finished> due) {
        for (int from = 0; from < due.size(); from += BATCH) {
            retryOnce(due.subList(from, Math.min(due.size(), from + BATCH)));
        }
    }

    private void retryOnce(List<Finished> due) {
        try {
            commit(due, true);
        } catch (RuntimeException | Error failure) {
            if (!(failure instanceof RuntimeException e) || WriteFailures.isServerUnavailable(e)) {
                log.warn(
                        "could not record the outcome of {} jobs; retrying in {} ms: {}",
                        due.size(),
                        LOCKED_RETRY.toMillis(),
                        failure.getMessage());
                addRetries(due, Duration.ZERO);
            } else if (due.size() > 1) {
                int half = due.size() / 2;
                retryOnce(due.subList(0, half));
                retryOnce(due.subList(half, due.size()));
            } else if (WriteFailures.isRejected(e)) {
                giveUp(due, e);
            } else if (SqlState.isHeldUp(e)) {
                addRetries(due, Duration.ZERO);
            } else {
                retryLater(due, e);
            }
        }
    }

    private void commit(List<Finished> batch, boolean skipLocked) {
        List<Finished> locked = db.inTx(tx -> {
            store.waitNoLongerThan(tx, LOCK_TIMEOUT);
            List<Finished> busy = skipLocked ? locked(tx, batch) : List.of();
            write(tx, batch.stream().filter(one -> !busy.contains(one)).toList());
            return busy;
        });
        List<Finished> written =
                batch.stream().filter(one -> !locked.contains(one)).toList();
        forget(written);
        onWritten.accept(written.stream().map(Finished::job).toList());
        addRetries(locked, Duration.ZERO);
    }

    /** @param delay in addition to the usual one */
    private void addRetries(List<Finished> finished, Duration delay) {
        if (!finished.isEmpty() && waiting.isStopped()) {
            logGivenUp(finished, null);
            forget(finished);
        } else {
            finished.forEach(one ->
                    log.debug("job {}: its outcome is written later", one.job().id()));
            retries.add(finished, System.nanoTime() + delay.toNanos());
        }
    }

    /** The jobs whose rows are locked. Extending the others locks them, so that they can be ended without a wait. */
    private List<Finished> locked(Tx tx, List<Finished> batch) {
        Map<LeasedJob.Key, JobLeaseStore.Verdict> verdicts =
                store.extend(tx, batch.stream().map(Finished::job).toList());
        return batch.stream()
                .filter(one -> verdicts.get(one.job().lease()) == JobLeaseStore.Verdict.BUSY)
                .toList();
    }

    private void giveUp(List<Finished> finished, Throwable failure) {
        if (!finished.isEmpty()) {
            logGivenUp(finished, failure);
            forget(finished);
        }
    }

    private static void logGivenUp(List<Finished> finished, @Nullable Throwable failure) {
        log.error(
                "could not record the outcome of {} jobs, the first is {}; they will be retried after lease expiry",
                finished.size(),
                finished.getFirst().job().id(),
                failure);
    }

    private void write(Tx tx, List<Finished> batch) {
        List<LeasedJob> done = batch.stream()
                .filter(one -> one.outcome() instanceof Outcome.Done)
                .map(Finished::job)
                .toList();
        if (!done.isEmpty()) {
            store.complete(tx, done).forEach(OutcomeWriter::logLost);
        }
        batch.stream().filter(one -> !(one.outcome() instanceof Outcome.Done)).forEach(one -> write(tx, one));
    }

    private void write(Tx tx, Finished one) {
        LeasedJob job = one.job();
        boolean held = switch (one.outcome()) {
            case Outcome.Done done -> throw new IllegalStateException("written in a batch");
            case Outcome.Retry retry ->
                !store.fail(tx, job, one.errorClass(), retry.why(), retry.after(), false)
                        .equals("lost");
            case Outcome.Dead dead ->
                !store.fail(tx, job, one.errorClass(), dead.why(), null, true).equals("lost");
            case Outcome.Snooze snooze -> store.snooze(tx, job, snooze.until());
            case Outcome.Cancel cancel -> store.giveUp(tx, job, cancel.why());
        };
        if (!held) {
            logLost(job.id());
        }
    }

    private static void logLost(JobId job) {
        log.warn("job {}: its lease was lost before its outcome was written; the next holder decides", job);
    }

    /** Finished jobs whose outcome is not committed yet. */
    public Map<LeasedJob.Key, LeasedJob> unwritten() {
        return unwritten;
    }

    /** How long ago the first job of the current batch finished; zero if none is being written. */
    Duration delay() {
        Finished now = writing;
        return now == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - now.nanos());
    }

    private void forget(List<Finished> batch) {
        batch.forEach(one -> unwritten.remove(one.job().lease()));
    }

    /** No more jobs will be added; those that were are still written. */
    void close() {
        closing = true;
    }

    /** Ends all waits for an unavailable server and for locked rows. */
    void stopWaiting() {
        waiting.stop();
    }
}
