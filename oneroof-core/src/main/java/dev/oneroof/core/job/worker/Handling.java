package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobHandler;
import dev.oneroof.core.job.JobStore;
import dev.oneroof.core.job.JobWork;
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

/** Does leased jobs: calls their handlers, and has told what became of them. */
public final class Handling {
    private static final Logger log = LoggerFactory.getLogger(Handling.class);

    private final Database db;
    private final JobStore store;
    private final Ending ending;
    private final HandBack back;
    private final Map<LeasedJob.Key, RunningJob> running = new ConcurrentHashMap<>();

    public Handling(Database db, JobStore store, Ending ending, HandBack back) {
        this.db = db;
        this.store = store;
        this.ending = ending;
        this.back = back;
    }

    /** Those whose handlers are at it. */
    Collection<RunningJob> running() {
        return running.values();
    }

    @Nullable
    RunningJob of(LeasedJob.Key lease) {
        return running.get(lease);
    }

    /**
     * Does a job to its end, on the thread of the caller. False where its handler could not be called, for want of a
     * connection; the job is handed back, and more of them would fare no better just now.
     */
    public boolean handle(JobWork work, LeasedJob leased) {
        if (leased.isOver()) {
            log.warn("job {}: was not begun; this process stood still for longer than its lease", leased.id());
            // Where nobody has taken it meanwhile no attempt is to be counted.
            back.soon(List.of(leased));
            return true;
        }
        RunningJob job = new RunningJob(leased, work, ending.lines());
        running.put(leased.lease(), job);
        try {
            Outcome outcome;
            try {
                outcome = outcome(work, job);
            } finally {
                // Before anything is told: an interrupt was meant for the handler alone.
                job.over();
            }
            if (outcome != null) {
                ending.add(leased, outcome, "outcome");
            }
            return true;
        } catch (Throwable failure) {
            return failed(job, failure);
        } finally {
            running.remove(leased.lease(), job);
        }
    }

    /** Null where it has been told already. */
    private @Nullable Outcome outcome(JobWork work, RunningJob job) throws Exception {
        TxJobHandler inTx = work.inTx();
        if (inTx != null) {
            return new TxHandling(db, store, inTx).handle(job);
        }
        job.begin();
        JobHandler handler = work.handler();
        Outcome outcome = handler == null ? null : handler.handle(job);
        return outcome == null ? new Outcome.Retry("its handler returned null", null) : outcome;
    }

    private boolean failed(RunningJob job, Throwable failure) {
        RunningJob.Stop stop = job.stopped();
        if (stop == RunningJob.Stop.CANCELLED) {
            ending.add(job.leased(), new Outcome.Cancel("cancelled"), "cancelled");
            return true;
        }
        if (stop == RunningJob.Stop.LOST) {
            log.warn("job {}: was not ours any more; its handler was stopped", job.id());
            return true;
        }
        if (!job.isBegun()) {
            log.warn("job {}: could not be begun, and is handed back: {}", job.id(), failure.getMessage());
            back.now(List.of(job.leased()));
            return false;
        }
        if (stop == RunningJob.Stop.SHUTDOWN) {
            back.now(List.of(job.leased()));
        } else if (stop == RunningJob.Stop.DEADLINE) {
            String why =
                    "stopped past its deadline of %d s".formatted(job.deadline().toSeconds());
            ending.add(job.leased(), new Outcome.Retry(why, null), "deadline");
        } else {
            log.debug("job {}: its handler failed", job.id(), failure);
            String why = String.valueOf(failure.getMessage());
            ending.add(
                    job.leased(),
                    new Outcome.Retry(why, null),
                    failure.getClass().getName());
        }
        return true;
    }
}
