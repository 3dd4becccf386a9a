package dev.oneroof.core.job;

import dev.oneroof.core.act.ActStore;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Enqueues jobs, and changes what becomes of them. */
public final class Jobs {
    private final Database db;
    private final JobStore store = new JobStore();
    private final Predicate<Map<String, Integer>> taken;
    private final Runnable wake;

    public Jobs(Database db) {
        this(db, jobs -> false, () -> {});
    }

    /**
     * @param taken whether so many jobs of these kinds would be begun at once in this process
     * @param wake has this process look for jobs
     */
    public Jobs(Database db, Predicate<Map<String, Integer>> taken, Runnable wake) {
        this.db = db;
        this.taken = taken;
        this.wake = wake;
    }

    /** Makes a kind known, or changes how it is run; true when anything changed. */
    public boolean register(JobKind kind, String actor) {
        return db.inTx(tx -> store.register(tx, kind, actor));
    }

    /** In a transaction of its own. */
    public Enqueued enqueue(NewJob job) {
        return enqueueAll(List.of(job)).getFirst();
    }

    /** By an operator: the job and the act of it, in one transaction. No act where the key is alive already. */
    public Enqueued enqueue(NewJob job, OperatorAct by) {
        return db.inTx(tx -> {
            Enqueued enqueued = enqueue(tx, job);
            if (enqueued.isNew()) {
                new ActStore().record(tx, "job_enqueue", "job " + enqueued.id(), by);
            }
            return enqueued;
        });
    }

    /** In the caller's transaction: the job is there if and only if what else it does is. */
    public Enqueued enqueue(Tx tx, NewJob job) {
        return enqueueAll(tx, List.of(job)).getFirst();
    }

    /** As {@link #enqueue(Tx, NewJob)}, in the transaction of a handler. */
    public Enqueued enqueue(UserTx tx, NewJob job) {
        return enqueue(tx.own(), job);
    }

    /** As {@link #enqueueAll(Tx, List)}, in the transaction of a handler. */
    public List<Enqueued> enqueueAll(UserTx tx, List<NewJob> jobs) {
        return enqueueAll(tx.own(), jobs);
    }

    /** In a transaction of their own: all of them or none. */
    public List<Enqueued> enqueueAll(List<NewJob> jobs) {
        if (hasDelay(jobs)) {
            return db.inTx(tx -> enqueueAll(tx, jobs));
        }
        try {
            return db.inStatement(tx -> enqueueAll(tx, jobs));
        } catch (RuntimeException | Error e) {
            // Of a single statement nothing is rolled back, so nobody has been told that there may be some all the
            // same.
            wake.run();
            throw e;
        }
    }

    /**
     * All or, when one is refused, none. Of one whose key is alive already the job that bears it is returned. Jobs that
     * this process would begin at once need no wake-up from the database.
     */
    public List<Enqueued> enqueueAll(Tx tx, List<NewJob> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        boolean here = taken.test(jobs.stream().collect(Collectors.toMap(NewJob::kind, job -> 1, Integer::sum)));
        List<Enqueued> enqueued = store.put(tx, timed(tx, jobs), !here);
        tx.onCommit(wake);
        // Also where it is not known whether they are there: nobody else was told of them.
        tx.onRollback(wake);
        return enqueued;
    }

    /** In the transaction that the caller has begun on its own connection, and will end. */
    public Enqueued enqueue(Connection connection, NewJob job) {
        return enqueueAll(connection, List.of(job)).getFirst();
    }

    /** As {@link #enqueueAll(Tx, List)}; the jobs are there if and only if the caller commits. */
    public List<Enqueued> enqueueAll(Connection connection, List<NewJob> jobs) {
        // When it commits is not known here, so the database wakes everybody, this process too.
        return jobs.isEmpty() ? List.of() : db.within(connection, tx -> store.put(tx, timed(tx, jobs), true));
    }

    private static boolean hasDelay(List<NewJob> jobs) {
        return jobs.stream().anyMatch(job -> job.in() != null);
    }

    /** The database is asked for its time only where a job has a delay. */
    private List<NewJob> timed(Tx tx, List<NewJob> jobs) {
        if (!hasDelay(jobs)) {
            return jobs;
        }
        Instant now = store.now(tx);
        return jobs.stream().map(job -> job.enqueuedAt(now)).toList();
    }

    /** What became of the wish that a job be given up. */
    public enum Cancelled {
        /** Nobody worked on it: it has ended. */
        AT_ONCE,
        /** Its holder was asked to give it up. */
        REQUESTED
    }

    public Cancelled cancel(JobId job, OperatorAct by) {
        return switch (db.inTx(tx -> store.cancel(tx, job, by))) {
            case "cancelled" -> Cancelled.AT_ONCE;
            case "requested" -> Cancelled.REQUESTED;
            case "ended" -> throw ended(job);
            default -> throw unknown(job);
        };
    }

    /** Has a job that waits for its time, or for its next attempt, tried now. One that is due already is no change. */
    public void retryNow(JobId job, OperatorAct by) {
        switch (db.inTx(tx -> store.retryNow(tx, job, by))) {
            case "queued" -> wake.run();
            case "leased" ->
                throw new OneRoofException(ErrorCode.CONFLICT, "job: '%s' is being worked on".formatted(job));
            case "ended" -> throw ended(job);
            default -> throw unknown(job);
        }
    }

    /**
     * Has no job of a kind begun until it is resumed; those that are being worked on may be finished, others are enqueued
     * and wait. False where it is paused already.
     */
    public boolean pauseKind(String kind, OperatorAct by) {
        return db.inTx(tx -> store.pauseKind(tx, kind, true, by));
    }

    /** False where it is not paused. */
    public boolean resumeKind(String kind, OperatorAct by) {
        boolean resumed = db.inTx(tx -> store.pauseKind(tx, kind, false, by));
        if (resumed) {
            wake.run();
        }
        return resumed;
    }

    private OneRoofException ended(JobId job) {
        JobReport.Shown shown = new JobReport(db).show(job).job();
        return new OneRoofException(
                ErrorCode.CONFLICT,
                "job: '%s' has ended, %s at %s; a dead letter can be replayed, anything else enqueued again"
                        .formatted(job, shown.state(), shown.finishedAt()));
    }

    private static OneRoofException unknown(JobId job) {
        return new OneRoofException(ErrorCode.NOT_FOUND, "job: there is no '%s'".formatted(job));
    }
}
