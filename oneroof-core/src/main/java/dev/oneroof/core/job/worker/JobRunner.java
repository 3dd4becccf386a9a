package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobHandler;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.job.TxJobHandler;
import dev.oneroof.postgres.Database;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handlers of leased jobs, and passes their outcomes on. */
public final class JobRunner {
    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

    private final Database db;
    private final JobLeaseStore store;
    private final OutcomeWriter outcomes;
    private final LeaseReleaser releaser;
    private final Map<LeasedJob.Key, RunningJob> running = new ConcurrentHashMap<>();

    public JobRunner(Database db, JobLeaseStore store, OutcomeWriter outcomes, LeaseReleaser releaser) {
        this.db = db;
        this.store = store;
        this.outcomes = outcomes;
        this.releaser = releaser;
    }

    /** The jobs whose handlers run. */
    Collection<RunningJob> running() {
        return running.values();
    }

    @Nullable
    RunningJob of(LeasedJob.Key lease) {
        return running.get(lease);
    }

    /**
     * Runs a job to its end on the calling thread. False if the handler could not be called for lack of a connection: the job
     * is handed back, and another one of the kind would fail as well at present.
     */
    public boolean run(JobHandlerSpec spec, LeasedJob leased) {
        if (leased.isOver()) {
            log.warn("job {}: not started; its lease expired while this process was suspended", leased.id());
            // If the reaper has not taken it yet, no attempt is counted.
            releaser.releaseLater(List.of(leased));
            return true;
        }
        RunningJob job = new RunningJob(leased, spec, outcomes.logWriter());
        running.put(leased.lease(), job);
        try {
            Outcome outcome;
            try {
                outcome = outcome(spec, job);
            } finally {
                // Before the outcome is passed on: an interrupt is for the handler alone.
                job.ended();
            }
            if (outcome != null) {
                outcomes.add(leased, outcome, "outcome");
            }
            return true;
        } catch (Throwable failure) {
            return failed(job, failure);
        } finally {
            running.remove(leased.lease(), job);
        }
    }

    /** Null if it was written already. */
    private @Nullable Outcome outcome(JobHandlerSpec spec, RunningJob job) throws Exception {
        TxJobHandler inTx = spec.inTx();
        if (inTx != null) {
            return new TxJobRunner(db, store, inTx).run(job);
        }
        job.start();
        JobHandler handler = spec.handler();
        Outcome outcome = handler == null ? null : handler.handle(job);
        return outcome == null ? new Outcome.Retry("the handler returned null", null) : outcome;
    }

    private boolean failed(RunningJob job, Throwable failure) {
        RunningJob.Stop stop = job.stopped();
        if (stop == RunningJob.Stop.CANCELLED) {
            outcomes.add(job.leased(), new Outcome.Cancel("cancelled"), "cancelled");
            return true;
        }
        if (stop == RunningJob.Stop.LOST) {
            log.warn("job {}: its lease was lost; its handler was interrupted", job.id());
            return true;
        }
        if (!job.isStarted()) {
            log.warn("job {}: could not be started and is handed back: {}", job.id(), failure.getMessage());
            releaser.release(List.of(job.leased()));
            return false;
        }
        if (stop == RunningJob.Stop.SHUTDOWN) {
            releaser.release(List.of(job.leased()));
        } else if (stop == RunningJob.Stop.DEADLINE) {
            String why =
                    "stopped past its deadline of %d s".formatted(job.deadline().toSeconds());
            outcomes.add(job.leased(), new Outcome.Retry(why, null), "deadline");
        } else {
            log.debug("job {}: its handler failed", job.id(), failure);
            String why = String.valueOf(failure.getMessage());
            outcomes.add(
                    job.leased(),
                    new Outcome.Retry(why, null),
                    failure.getClass().getName());
        }
        return true;
    }
}
