package dev.oneroof.core.job;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the jobs of this process. A pass leases as many as its handlers want; they are handled on threads of their own, and
 * what became of them is told in batches. From beside it keeps the leases of what takes long, and tells handlers whose job
 * is cancelled, lost or past its deadline.
 *
 * <p>Its scope is its own: every process does jobs. What keeps two from one job is the job's lease and token.
 */
public final class JobWorker implements Worker {
    private static final Logger log = LoggerFactory.getLogger(JobWorker.class);
    private static final int LEASED_AT_ONCE = 1000;
    private static final int WRITERS = 1;
    private static final int MOST_UNTOLD = 10_000;
    private static final Duration MINDING = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(50);
    private static final Duration AT_ONCE = Duration.ofMillis(100);
    private static final Duration SHORTLY = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration UNTOLD_TOO_LONG = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(20);
    private static final Duration LAST_GRACE = Duration.ofSeconds(2);

    private final String instance;
    private final Database db;
    private final Duration poll;
    private final JobStore store = new JobStore();
    private final GateStore gates = new GateStore();
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Map<LeasedJob.Key, RunningJob> running = new ConcurrentHashMap<>();
    /** When the lease of a job was last extended; those that were not are as old as they were leased. */
    private final Map<LeasedJob.Key, Long> extendedNanos = new ConcurrentHashMap<>();

    private final ReentrantLock looking = new ReentrantLock();
    private int takenAtOnce;
    private final Floors floors = new Floors();
    private final Waiting room = new Waiting();
    private final Waiting minding = new Waiting();
    private volatile boolean wantsRoom;
    private volatile boolean ending;
    private @Nullable Ending ended;
    private @Nullable Thread minder;

    /** @param poll how often it looks for jobs while nobody wakes it */
    public JobWorker(String instance, Database db, Collection<JobWork> works, Duration poll) {
        this.instance = instance;
        this.db = db;
        this.poll = poll;
        works.forEach(work -> lanes.put(work.kind().name(), new Lane(work, job -> handle(work, job), this::roomMade)));
    }

    private void roomMade() {
        if (wantsRoom) {
            room.wake();
        }
    }

    @Override
    public Scope scope() {
        return Scope.of("jobs", instance);
    }

    /** None: whoever leases asks the gate, and what is leased may be finished. */
    @Override
    public @Nullable String gate() {
        return null;
    }

    @Override
    public boolean isWokenBy(String layer) {
        return layer.equals("job");
    }

    @Override
    public void heard(String layer) {
        if (layer.equals("job_cancel")) {
            minding.wake();
        }
    }

    @Override
    public boolean leavesNoScope() {
        return true;
    }

    /** Whether jobs of these kinds would be begun at once, if they were there. */
    public boolean wouldTake(Collection<String> kinds) {
        return !ending
                && !isStarved()
                && kinds.stream().allMatch(kind -> {
                    Lane lane = lanes.get(kind);
                    return lane != null && lane.inHand() < lane.work().atOnce();
                });
    }

    /** Whether what it leased would wait for other handlers to let go of the machine: other processes may be free. */
    private boolean isStarved() {
        return lanes.values().stream().anyMatch(Lane::isStarved);
    }

    @Override
    public void prepare() {
        ended = new Ending(db, store, WRITERS);
        minder = Thread.ofPlatform().name("oneroof-job-minder").start(this::mind);
    }

    @Override
    public Pass runOnce(Lease lease) {
        if (wanted().isEmpty()) {
            awaitRoom();
            return judged(new Pass.Worked(0));
        }
        Optional<Pass> worked = looked();
        if (worked.isPresent()) {
            return judged(worked.get());
        }
        Optional<String> closed = db.inStatement(tx -> gates.whyClosed(tx, Gates.JOBS));
        return judged(closed.<Pass>map(why -> new Pass.Held(why, poll)).orElseGet(() -> new Pass.Idle(poll)));
    }

    /** Empty where there was nothing, also for whom it was heard of by. */
    private Optional<Pass> looked() {
        looking.lock();
        try {
            Map<String, Integer> wanted = wanted();
            if (wanted.isEmpty()) {
                return Optional.of(new Pass.Worked(0));
            }
            Look look = leasesAhead(wanted) ? take(wanted, db::inTx, null) : take(wanted, db::inStatement, null);
            if (look.isUndone()) {
                // Its lanes are careful now: there is room for what can be begun, or none.
                return Optional.of(new Pass.Worked(0));
            }
            int taken = takenAtOnce + look.leased().size();
            takenAtOnce = 0;
            return taken == 0 ? Optional.empty() : Optional.of(new Pass.Worked(taken));
        } finally {
            looking.unlock();
        }
    }

    /** The loop's own look follows, and finds what this one has left. One that is under way may just have missed it. */
    @Override
    public void lookAtOnce(Notifications here) {
        if (!isMyTurn()) {
            return;
        }
        try {
            Map<String, Integer> wanted = ending ? Map.of() : wantedNow();
            if (!wanted.isEmpty() && !floors.isRaised()) {
                takenAtOnce += take(wanted, here::inStatement, AT_ONCE).leased().size();
            }
        } catch (RuntimeException | Error e) {
            log.debug("jobs: no look where they were heard of", e);
        } finally {
            looking.unlock();
        }
    }

    private boolean isMyTurn() {
        try {
            return looking.tryLock(SHORTLY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** What is wanted and would be begun at once. */
    private Map<String, Integer> wantedNow() {
        Map<String, Integer> now = new LinkedHashMap<>();
        wanted().forEach((kind, more) -> {
            int free = Math.min(more, laneOf(kind).free());
            if (free > 0) {
                now.put(kind, free);
            }
        });
        return now;
    }

    private boolean leasesAhead(Map<String, Integer> wanted) {
        return wanted.entrySet().stream()
                .anyMatch(one -> one.getValue() > laneOf(one.getKey()).free());
    }

    /**
     * Leases and begins as many as are wanted. Where one would wait on its last attempt nothing of it has happened: so what
     * leases ahead does it in a transaction, and one that is not held open for long by a process that stands still.
     */
    private Look take(
            Map<String, Integer> wanted, Function<Function<Tx, Look>, Look> statement, @Nullable Duration longestWait) {
        Map<String, String> from = floors.now(System.nanoTime());
        int limit = Math.min(
                LEASED_AT_ONCE,
                wanted.values().stream().mapToInt(Integer::intValue).sum());
        Look look = statement.apply(tx -> {
            // From here on, or a wait for a connection would count as a slow look.
            long began = System.nanoTime();
            List<LeasedJob> found = store.lease(tx, wanted, limit, instance, from, longestWait, LONGEST_PAUSE);
            long nanos = System.nanoTime() - began;
            if (wouldKeepALastOneWaiting(found)) {
                tx.abandon();
                return new Look(List.of(), nanos, true);
            }
            return new Look(found, nanos, false);
        });
        if (!look.isUndone()) {
            floors.looked(from.isEmpty(), look.leased(), look.nanos(), System.nanoTime());
            byKind(look.leased()).forEach((kind, jobs) -> laneOf(kind).add(jobs));
        }
        return look;
    }

    private boolean wouldKeepALastOneWaiting(List<LeasedJob> found) {
        // Each lane is to see its own, also behind one that says so.
        return byKind(found).entrySet().stream()
                        .filter(one -> laneOf(one.getKey()).wouldKeepALastOneWaiting(one.getValue()))
                        .count()
                > 0;
    }

    private static Map<String, List<LeasedJob>> byKind(List<LeasedJob> jobs) {
        return jobs.stream().collect(Collectors.groupingBy(LeasedJob::kind));
    }

    /**
     * What a look brought, and how long the database took for it.
     *
     * @param isUndone whether it was taken back, and is to be made with less
     */
    private record Look(List<LeasedJob> leased, long nanos, boolean isUndone) {}

    private Map<String, Integer> wanted() {
        if (ending().untold().size() >= MOST_UNTOLD) {
            // The database takes no ends: no use in more of them.
            return Map.of();
        }
        if (isStarved()) {
            return Map.of();
        }
        Map<String, Integer> wanted = new LinkedHashMap<>();
        lanes.forEach((kind, lane) -> {
            int more = lane.room();
            if (more > 0) {
                wanted.put(kind, more);
            }
        });
        return wanted;
    }

    private void awaitRoom() {
        wantsRoom = true;
        if (wanted().isEmpty()) {
            room.pause(LONGEST_WAIT);
        }
        wantsRoom = false;
    }

    private Lane laneOf(String kind) {
        Lane lane = lanes.get(kind);
        if (lane == null) {
            throw new IllegalStateException("leased a job of '%s', which nobody asked for".formatted(kind));
        }
        return lane;
    }

    /** A handler that does not come to its end is told of, whatever else goes well; so are ends that nobody takes. */
    private Pass judged(Pass pass) {
        Duration behind = ending().behind();
        if (behind.compareTo(UNTOLD_TOO_LONG) > 0) {
            return new Pass.Ailing(
                    "the ends of %d jobs could not be told for %d s"
                            .formatted(ending().untold().size(), behind.toSeconds()),
                    poll);
        }
        return running.values().stream()
                .filter(job -> job.nanos() > deadline(job).plus(LAST_GRACE).toNanos())
                .findFirst()
                .<Pass>map(job -> new Pass.Stuck(
                        "the handler of %s %s is past its deadline of %d s and does not end"
                                .formatted(job.kind(), job.id(), deadline(job).toSeconds()),
                        pass instanceof Pass.Worked ? Duration.ZERO : poll))
                .orElse(pass);
    }

    private Duration deadline(RunningJob job) {
        return laneOf(job.kind()).work().kind().times().deadline();
    }

    private void handle(JobWork work, LeasedJob leased) {
        if (isOver(leased)) {
            log.warn("job {}: was not begun; this process stood still for longer than its lease", leased.id());
            return;
        }
        RunningJob job = new RunningJob(leased, ending());
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
                ending().add(leased, outcome, "outcome");
            }
        } catch (Throwable failure) {
            failed(job, failure);
        } finally {
            running.remove(leased.lease(), job);
        }
    }

    /** By this process's own clock, from before the lease was asked for. */
    private static boolean isOver(LeasedJob job) {
        return System.nanoTime() - job.leasedNanos() > job.leaseNanos();
    }

    /** Null where it has been told already. */
    private @Nullable Outcome outcome(JobWork work, RunningJob job) throws Exception {
        TxJobHandler inTx = work.inTx();
        if (inTx != null) {
            return new TxHandling(db, store, inTx, work.kind().times().deadline()).handle(job);
        }
        JobHandler handler = work.handler();
        Outcome outcome = handler == null ? null : handler.handle(job);
        return outcome == null ? new Outcome.Retry("its handler returned null", null) : outcome;
    }

    private void failed(RunningJob job, Throwable failure) {
        RunningJob.Stop stop = job.stopped();
        switch (stop) {
            case CANCELLED -> ending().add(job.leased(), new Outcome.Cancel("cancelled"), "cancelled");
            case LOST -> log.warn("job {}: was not ours any more; its handler was stopped", job.id());
            case DEADLINE ->
                ending().add(
                                job.leased(),
                                new Outcome.Retry(
                                        "stopped past its deadline of %d s"
                                                .formatted(deadline(job).toSeconds()),
                                        null),
                                "deadline");
            case SHUTDOWN -> handBack(List.of(job.leased()));
            case null -> {
                log.debug("job {}: its handler failed", job.id(), failure);
                ending().add(
                                job.leased(),
                                new Outcome.Retry(String.valueOf(failure.getMessage()), null),
                                failure.getClass().getName());
            }
        }
    }

    private Ending ending() {
        if (ended == null) {
            throw new IllegalStateException("not prepared");
        }
        return ended;
    }

    private void mind() {
        while (!minding.isStopped()) {
            minding.pause(MINDING);
            try {
                leaveToOthers();
                keepLeases();
                lookForCancelled();
            } catch (RuntimeException | Error e) {
                log.warn("jobs: leases were not kept, trying again: {}", e.getMessage());
            }
            stopLate();
        }
    }

    /** What is in hand and has no turn here can be begun elsewhere. */
    private void leaveToOthers() {
        lanes.values().stream().filter(Lane::isStarved).forEach(lane -> handBack(lane.takeBack()));
    }

    private void keepLeases() {
        lanes.values().forEach(this::keepLeases);
        extendedNanos.keySet().removeIf(lease -> !running.containsKey(lease) && !isUntold(lease));
    }

    private boolean isUntold(LeasedJob.Key lease) {
        return ending().untold().containsKey(lease);
    }

    /**
     * What runs is kept, and what is done until that is told: it would be done again. What has waited for so long is handed
     * back, for others to begin it.
     */
    private void keepLeases(Lane lane) {
        JobKind kind = lane.work().kind();
        if (lane.hasWaitedForLong()) {
            handBack(lane.takeBack());
        }
        List<LeasedJob> due = Stream.concat(
                        running.values().stream()
                                .filter(job -> job.nanos() < deadline(job).toNanos())
                                .map(RunningJob::leased),
                        ending().untold().values().stream())
                .filter(job -> job.kind().equals(kind.name()) && isDue(job))
                .distinct()
                .toList();
        if (due.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        Map<LeasedJob.Key, JobStore.Verdict> verdicts = db.inStatement(tx -> store.extend(tx, due));
        for (LeasedJob job : due) {
            switch (verdicts.getOrDefault(job.lease(), JobStore.Verdict.LOST)) {
                case BUSY -> {}
                case HELD -> extendedNanos.put(job.lease(), now);
                case LOST -> stop(job, RunningJob.Stop.LOST);
                case CANCEL -> {
                    extendedNanos.put(job.lease(), now);
                    stop(job, RunningJob.Stop.CANCELLED);
                }
            }
        }
    }

    private void stop(LeasedJob job, RunningJob.Stop why) {
        RunningJob handled = running.get(job.lease());
        if (handled != null) {
            handled.stop(why);
        }
    }

    private boolean isDue(LeasedJob job) {
        long since = extendedNanos.getOrDefault(job.lease(), job.leasedNanos());
        return System.nanoTime() - since > job.leaseNanos() / 3;
    }

    private void lookForCancelled() {
        List<LeasedJob> begun = running.values().stream()
                .filter(job -> job.nanos() > MINDING.dividedBy(2).toNanos())
                .map(RunningJob::leased)
                .toList();
        if (!begun.isEmpty()) {
            Set<JobId> cancelled = db.inTx(tx -> store.cancelled(tx, begun));
            running.values().stream()
                    .filter(job -> cancelled.contains(job.id()))
                    .forEach(job -> job.stop(RunningJob.Stop.CANCELLED));
        }
    }

    private void stopLate() {
        running.values().stream()
                .filter(job -> job.nanos() > deadline(job).toNanos())
                .forEach(job -> job.stop(RunningJob.Stop.DEADLINE));
    }

    /** Hands back what was not begun, lets what runs come to its end for a while, then asks it to. */
    @Override
    public void end() {
        looking.lock();
        try {
            ending = true;
        } finally {
            looking.unlock();
        }
        handBack(lanes.values().stream()
                .flatMap(lane -> lane.takeBack().stream())
                .toList());
        awaitNone(GRACE);
        running.values().forEach(job -> job.stop(RunningJob.Stop.SHUTDOWN));
        awaitNone(LAST_GRACE);
        if (!running.isEmpty()) {
            log.error("{} handlers did not end; their leases run out", running.size());
        }
        minding.stop();
        if (ended != null) {
            ended.close();
        }
        if (minder != null) {
            try {
                minder.join(LAST_GRACE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitNone(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        wantsRoom = true;
        // By the lanes: a thread that has just taken a job is not among those that run yet.
        while (lanes.values().stream().anyMatch(lane -> lane.inHand() > 0) && System.nanoTime() - end < 0) {
            room.pause(LONGEST_WAIT);
        }
    }

    private void handBack(List<LeasedJob> jobs) {
        if (jobs.isEmpty()) {
            return;
        }
        try {
            db.inStatement(tx -> store.handBack(tx, jobs));
        } catch (RuntimeException e) {
            log.warn("{} jobs could not be handed back; their leases run out: {}", jobs.size(), e.getMessage());
        }
    }
}
