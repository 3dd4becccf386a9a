package dev.oneroof.core.job.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the queue, in one of the running instances, whether it does jobs itself or not: takes jobs from holders that
 * went quiet, makes those due whose time has come, does the chores, and keeps the days of the history. It only calls functions
 * that others may call, too.
 */
public final class JobKeeper implements Worker {
    private static final Logger log = LoggerFactory.getLogger(JobKeeper.class);
    private static final Scope SCOPE = Scope.of("job_keeper", "job_queue");
    private static final WorkerSpec SPEC = WorkerSpec.of(SCOPE).counting("job").removingScope(true);
    private static final int MOST = 1000;
    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration SOONEST = Duration.ofMillis(5);
    private static final Duration DAYS = Duration.ofHours(1);

    private final Database db;
    private final List<Chore> chores;
    private final KeeperStore store = new KeeperStore();
    private final Lookback reaping = new Lookback();
    private final Lookback promoting = new Lookback();
    private boolean hasKinds;
    private long daysNanos = System.nanoTime() - DAYS.toNanos();

    /** @param chores what else is done, each as often as it says */
    public JobKeeper(Database db, Chore... chores) {
        this.db = db;
        this.chores = List.of(chores);
    }

    /** No gate: a lease that has run out is over, whatever the gate says. */
    @Override
    public WorkerSpec spec() {
        return SPEC;
    }

    /** Where there is no kind there is no job. Kinds stay. */
    @Override
    public boolean isNeeded() {
        hasKinds = hasKinds || db.inTx(store::isAnyKindKnown);
        return hasKinds;
    }

    @Override
    public void prepare() {
        // The functions are all it needs.
    }

    @Override
    public Pass runOnce(Lease lease) {
        int reaped = looked(reaping, reach -> db.inStatement(tx -> store.reap(tx, MOST, SCOPE.worker(), reach)));
        if (reaped > 0) {
            log.warn("took {} jobs from holders whose lease had run out", reaped);
        }
        int promoted = looked(promoting, reach -> db.inStatement(tx -> store.promote(tx, MOST, reach)));
        Duration untilChore = chores.stream().map(JobKeeper::done).reduce(USUAL, JobKeeper::sooner);
        keepDays();
        if (untilChore.isZero() || reaped == MOST || promoted == MOST) {
            return new Pass.Worked(reaped + promoted);
        }
        Duration next = notTooSoon(sooner(untilNextDue(), untilChore));
        return reaped + promoted > 0 ? new Pass.CaughtUp(reaped + promoted, next) : new Pass.Idle(next);
    }

    private static int looked(Lookback lookback, ToIntFunction<@Nullable Duration> look) {
        long began = System.nanoTime();
        Duration reach = lookback.reach(began);
        int brought = look.applyAsInt(reach);
        lookback.looked(reach, brought < MOST, brought, began, System.nanoTime());
        return brought;
    }

    /** One that fails keeps no job from being taken back. */
    private static Duration done(Chore chore) {
        try {
            return chore.run();
        } catch (RuntimeException e) {
            log.warn("{} failed, trying again: {}", chore.getClass().getSimpleName(), e.getMessage());
            return USUAL;
        }
    }

    private static Duration sooner(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration notTooSoon(Duration next) {
        return next.compareTo(SOONEST) < 0 ? SOONEST : next;
    }

    private Duration untilNextDue() {
        Double seconds = db.inTx(store::nextDueIn);
        return seconds == null || seconds >= USUAL.toSeconds() ? USUAL : Duration.ofNanos((long) (seconds * 1e9));
    }

    private void keepDays() {
        if (System.nanoTime() - daysNanos < DAYS.toNanos()) {
            return;
        }
        daysNanos = System.nanoTime();
        apart(() -> db.inStatement(store::ensureDays));
        apart(this::dropDays);
        apart(this::dropClosedLetters);
    }

    private void dropDays() {
        for (List<String> dropped = db.inStatement(tx -> store.dropDays(tx, SCOPE.worker()));
                !dropped.isEmpty();
                dropped = db.inStatement(tx -> store.dropDays(tx, SCOPE.worker()))) {
            log.info("dropped {}", dropped);
        }
    }

    private void dropClosedLetters() {
        long dropped = 0;
        for (long some = db.inStatement(tx -> store.dropClosedLetters(tx, SCOPE.worker()));
                some > 0;
                some = db.inStatement(tx -> store.dropClosedLetters(tx, SCOPE.worker()))) {
            dropped += some;
        }
        if (dropped > 0) {
            log.info("forgot {} dead letters that were closed", dropped);
        }
    }

    /** What cannot be done now is done in an hour, and keeps nothing else from being done. */
    private static void apart(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            log.warn("the days of the history were not kept, trying again later: {}", e.getMessage());
        }
    }
}
