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

/** Enqueues, cancels and retries jobs, and pauses kinds. */
public final class Jobs {
    private final Database db;
    private final JobStore store = new JobStore();
    private final JobKindStore kinds = new JobKindStore();
    private final Predicate<Map<String, Integer>> startsHere;
    private final Runnable wake;

    public Jobs(Database db) {
        this(db, jobs -> false, () -> {});
    }

    /**
     * @param startsHere whether so many jobs of these kinds would start immediately in this process
     * @param wake makes this process lease jobs
     */
    public Jobs(Database db, Predicate<Map<String, Integer>> startsHere, Runnable wake) {
        this.db = db;
        this.startsHere = startsHere;
        this.wake = wake;
    }

    /** Registers a kind, or changes how it is run; true if anything changed. */
    public boolean register(JobKind kind, String actor) {
        return db.inTx(tx -> kinds.register(tx, kind, actor));
    }

    /** In a transaction of its own. */
    public Enqueued enqueue(NewJob job) {
        return enqueueAll(List.of(job)).getFirst();
    }

    /** By an operator: the job and the operator act in one transaction. No act if the key is in use. */
    public Enqueued enqueue(NewJob job, OperatorAct by) {
        return db.inTx(tx -> {
            Enqueued enqueued = enqueue(tx, job);
            if (enqueued.isNew()) {
                new ActStore().record(tx, "job_enqueue", "job " + enqueued.id(), by);
            }
            return enqueued;
        });
    }

    /** In the caller's transaction: the job exists if and only if that commits. */
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
            // The jobs may be committed all the same, and a single statement runs no rollback hooks.
            wake.run();
            throw e;
        }
    }

    /**
     * All or, if one is refused, none. If a key is in use, the live job that has it is returned. Jobs that would start
     * immediately in this process send no wake-up through the database.
     */
    public List<Enqueued> enqueueAll(Tx tx, List<NewJob> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        boolean here = startsHere.test(jobs.stream().collect(Collectors.toMap(NewJob::kind, job -> 1, Integer::sum)));
        List<Enqueued> enqueued = store.put(tx, timed(tx, jobs), !here);
        tx.onCommit(wake);
        // Also if it is unknown whether they were committed: no other process was woken for them.
        tx.onRollback(wake);
        return enqueued;
    }

    /** In the transaction that is open on the connection of the caller. */
    public Enqueued enqueue(Connection connection, NewJob job) {
        return enqueueAll(connection, List.of(job)).getFirst();
    }

    /** As {@link #enqueueAll(Tx, List)}; the jobs exist if and only if the caller commits. */
    public List<Enqueued> enqueueAll(Connection connection, List<NewJob> jobs) {
        // The time of the commit is not known here, so the database wakes all processes, this one included.
        return jobs.isEmpty() ? List.of() : db.within(connection, tx -> store.put(tx, timed(tx, jobs), true));
    }

    private static boolean hasDelay(List<NewJob> jobs) {
        return jobs.stream().anyMatch(job -> job.in() != null);
    }

    /** Reads the time of the database only if a job has a delay. */
    private List<NewJob> timed(Tx tx, List<NewJob> jobs) {
        if (!hasDelay(jobs)) {
            return jobs;
        }
        Instant now = store.now(tx);
        return jobs.stream().map(job -> job.enqueuedAt(now)).toList();
    }

    /** The result of a cancel. */
    public enum Cancelled {
        /** It was not leased, and has ended. */
        AT_ONCE,
        /** It is leased, and its holder was asked to stop it. */
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

    /** Makes a scheduled job due now. One that is due already is not changed. */
    public void retryNow(JobId job, OperatorAct by) {
        switch (db.inTx(tx -> store.retryNow(tx, job, by))) {
            case "queued" -> wake.run();
            case "leased" -> throw new OneRoofException(ErrorCode.CONFLICT, "job: '%s' is running".formatted(job));
            case "ended" -> throw ended(job);
            default -> throw unknown(job);
        }
    }

    /**
     * Starts no job of a kind until it is resumed. Running ones finish; enqueued ones wait. False if it is paused already.
     */
    public boolean pauseKind(String kind, OperatorAct by) {
        return db.inTx(tx -> kinds.setPaused(tx, kind, true, by));
    }

    /** False if it is not paused. */
    public boolean resumeKind(String kind, OperatorAct by) {
        boolean resumed = db.inTx(tx -> kinds.setPaused(tx, kind, false, by));
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
