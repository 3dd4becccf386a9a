package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when to lease, how many jobs and on which connection, so that a job starts soon after its commit. The class is only
 * about speed: a worker that leased whatever {@link KindDispatchers#room} allows, once per poll interval, would run the same
 * jobs. A reader may skip it.
 *
 * <p>Three shortcuts, each worth some tenths of a millisecond of a pick-up of about one:
 *
 * <ol>
 *   <li><b>The connection that received the wake-up leases</b> ({@link #pickUpOn}). It is awake, and its session has the plan.
 *       The loop's own lease would first have to wake a thread and borrow a connection. If this lease found all there was, the
 *       loop is not woken: its thread would compete with the handler for a core. A lease that is under way may just have
 *       missed the job, so this one waits for it, up to 10 ms.
 *   <li><b>Jobs are prefetched while handlers are busy, and not after a rest.</b> A lease that prefetches needs a transaction,
 *       and so one more round trip, because it is rolled back if a job would be queued on its last attempt. After a rest the
 *       first lease is a single statement for the free handlers; the next one prefetches.
 *   <li><b>A process that enqueues jobs for its own free handlers sends no wake-up</b> ({@link #promise}). The handlers are
 *       reserved until a lease that starts after the promise has ended, so that two enqueues do not count on one handler.
 * </ol>
 *
 * <p>Only one lease runs at a time, under {@link JobLeaser#lock}. It guards {@link #pickedUpEarly} and {@link #foundNone}, too.
 */
final class JobPickup {
    private static final Logger log = LoggerFactory.getLogger(JobPickup.class);
    private static final int MOST_UNWRITTEN = 10_000;
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration EARLY_LOCK_TIMEOUT = Duration.ofMillis(100);
    private static final Duration EARLY_TURN = Duration.ofMillis(10);

    private final Database db;
    private final KindDispatchers dispatchers;
    private final JobLeaser leaser;
    private final OutcomeWriter outcomes;
    private final Duration poll;
    private final ReentrantLock leasing;
    /** Jobs that {@link #pickUpOn} has leased since the last pass. */
    private int pickedUpEarly;

    private boolean foundNone;
    /** Kinds without room at the last lease. */
    private final Set<String> full = ConcurrentHashMap.newKeySet();

    private volatile boolean isClosed;

    JobPickup(Database db, KindDispatchers dispatchers, JobLeaser leaser, OutcomeWriter outcomes, Duration poll) {
        this.db = db;
        this.dispatchers = dispatchers;
        this.leaser = leaser;
        this.outcomes = outcomes;
        this.poll = poll;
        this.leasing = leaser.lock();
    }

    /** By kind, how many jobs to lease; none while outcomes pile up unwritten, or handlers wait for a processor. */
    Map<String, Integer> wanted() {
        return isOverloaded() ? Map.of() : dispatchers.room();
    }

    private boolean isOverloaded() {
        return outcomes.unwritten().size() >= MOST_UNWRITTEN || dispatchers.isStarved();
    }

    /** The lease of a regular pass; empty if neither it nor an early one since the last pass found a job. */
    Optional<Pass> pickUp() {
        leasing.lock();
        try {
            full.addAll(dispatchers.kinds());
            Map<String, Integer> wanted = hasRested() ? startable() : wanted();
            full.removeAll(wanted.keySet());
            if (wanted.isEmpty()) {
                return Optional.of(new Pass.Worked(0));
            }
            JobLeaser.Result result =
                    leaser.lease(wanted, prefetches(wanted) ? db::inTx : db::inStatement, LOCK_TIMEOUT);
            if (result.isRolledBack()) {
                // The dispatchers concerned have suspended their prefetch: the next lease asks for fewer jobs.
                return Optional.of(new Pass.Worked(0));
            }
            int early = pickedUpEarly;
            pickedUpEarly = 0;
            int leased = result.jobs().size();
            foundNone = leased == 0;
            if (leased > 0) {
                return Optional.of(new Pass.Worked(early + leased));
            }
            return early == 0 ? Optional.empty() : Optional.of(new Pass.CaughtUp(early, poll));
        } finally {
            leasing.unlock();
        }
    }

    private boolean hasRested() {
        return foundNone && dispatchers.isIdle();
    }

    /** The wanted jobs that would start immediately. */
    private Map<String, Integer> startable() {
        Map<String, Integer> startable = new LinkedHashMap<>();
        wanted().forEach((kind, more) -> {
            int free = Math.min(more, dispatchers.get(kind).free());
            if (free > 0) {
                startable.put(kind, free);
            }
        });
        return startable;
    }

    private boolean prefetches(Map<String, Integer> wanted) {
        return wanted.entrySet().stream()
                .anyMatch(one -> one.getValue() > dispatchers.get(one.getKey()).free());
    }

    /** Leases on the connection that received a wake-up. True if no job can be left, so that the loop need not be woken. */
    boolean pickUpOn(Notifications connection) {
        if (!isMyTurn()) {
            return false;
        }
        try {
            Map<String, Integer> wanted = isClosed ? Map.of() : startable();
            if (wanted.isEmpty() || leaser.hasFloors()) {
                return false;
            }
            List<LeasedJob> leased = leaser.lease(wanted, connection::inStatement, EARLY_LOCK_TIMEOUT)
                    .jobs();
            pickedUpEarly += leased.size();
            return isAll(wanted, leased);
        } catch (RuntimeException | Error e) {
            log.debug("jobs: could not lease on the listening connection", e);
            return false;
        } finally {
            leasing.unlock();
        }
    }

    private boolean isMyTurn() {
        try {
            return leasing.tryLock(EARLY_TURN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** There may be more of a kind that was not asked for, or of which as many came as were asked for. */
    private boolean isAll(Map<String, Integer> wanted, List<LeasedJob> leased) {
        return wanted.size() == dispatchers.kinds().size()
                && leased.size() < JobLeaser.BATCH
                && JobLeaser.byKind(leased).entrySet().stream()
                        .allMatch(one -> one.getValue().size() < wanted.getOrDefault(one.getKey(), 0));
    }

    /** Whether so many jobs of these kinds would start immediately. If so, their handlers are reserved. */
    boolean promise(Map<String, Integer> jobs) {
        return !isClosed
                && !isOverloaded()
                && jobs.entrySet().stream().allMatch(one -> {
                    KindDispatcher dispatcher = dispatchers.find(one.getKey());
                    return dispatcher != null && dispatcher.promise(one.getValue());
                });
    }

    /** Whether the last lease left this kind out for lack of room, and there is room now. True once per lease. */
    boolean hasRoomAgain(String kind) {
        return full.contains(kind) && dispatchers.get(kind).room() > 0 && full.remove(kind);
    }

    /** No lease starts on a listening connection from here on; one that runs is waited for. */
    void close() {
        leasing.lock();
        try {
            isClosed = true;
        } finally {
            leasing.unlock();
        }
    }
}
