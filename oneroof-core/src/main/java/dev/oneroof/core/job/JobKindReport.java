package dev.oneroof.core.job;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.postgres.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Kinds of jobs as operators see them. */
public final class JobKindReport {
    private final Database db;
    private final JobKindStore store = new JobKindStore();

    public JobKindReport(Database db) {
        this.db = db;
    }

    /**
     * A kind and its backlog.
     *
     * @param maxRunning the most at once; null if there is no limit, as for the rate
     * @param queued due jobs, counted up to a little over 10000
     * @param scheduled jobs that are due later or between two attempts, of the first 10000 of all kinds
     */
    public record Kind(
            String kind,
            String domain,
            String description,
            int maxAttempts,
            int leaseSeconds,
            int deadlineSeconds,
            @Nullable Integer maxRunning,
            @Nullable Integer rateCount,
            @Nullable Double rateSeconds,
            long queued,
            long leased,
            long scheduled,
            @Nullable String oldestDueAt,
            @Nullable String pausedAt,
            @Nullable String pauseActor,
            @Nullable String pauseReason) {}

    /** The actor and the reason of a pause. */
    public record Pause(String actor, String reason) {}

    public List<Kind> list() {
        return db.inTx(store::list);
    }

    /** Why a due job of this kind would wait; empty if no reason is known. */
    public List<String> obstacles(String kind) {
        return db.inTx(tx -> {
            List<String> found = new ArrayList<>();
            new GateStore().whyClosed(tx, Gates.JOBS).ifPresent(found::add);
            store.pause(tx, kind)
                    .map(pause -> "the kind is paused by %s: %s".formatted(pause.actor(), pause.reason()))
                    .ifPresent(found::add);
            if (!store.isAnyWorkerRunning(tx)) {
                found.add("no instance with a job worker is running");
            }
            return found;
        });
    }

    /** Empty if it is not paused. */
    public Optional<Pause> pause(String kind) {
        return db.inTx(tx -> store.pause(tx, kind));
    }
}
