package dev.oneroof.core.job.worker;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.JobStore;
import dev.oneroof.core.job.JobWork;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the jobs of this process. A pass leases as many as its handlers want; they are handled on threads of their own
 * ({@link Handling}), what became of them is told in batches ({@link Ending}), and they are looked after from beside
 * ({@link Minder}).
 *
 * <p>Its scope is its own: every process does jobs. What keeps two from one job is the job's lease and token.
 */
public final class JobWorker implements Worker {
    private static final Logger log = LoggerFactory.getLogger(JobWorker.class);
    private static final int LEASED_AT_ONCE = 1000;
    private static final int MOST_UNTOLD = 10_000;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(50);
    private static final Duration AT_ONCE = Duration.ofMillis(100);
    private static final Duration SHORTLY = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration UNTOLD_TOO_LONG = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(20);
    private static final Duration LAST_GRACE = Duration.ofSeconds(2);
    private static final Duration LONGEST_TELLING = Duration.ofSeconds(5);
    private static final Duration GATE_ASKED_EVERY = Duration.ofMillis(400);

    private final String instance;
    private final Database db;
    private final Duration poll;
    private final JobStore store = new JobStore();
    private final GateStore gates = new GateStore();
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Ending ending;
    private final HandBack back;
    private final Handling handling;
    private final Minder minder;
    private @Nullable Thread writer;
    private @Nullable Thread minding;

    private final ReentrantLock looking = new ReentrantLock();
    private int takenAtOnce;
    private boolean foundNone;
    /** Kinds for which the last look had no room, while it had some for others. */
    private final Set<String> leftOut = ConcurrentHashMap.newKeySet();

    private final Floors floors = new Floors();
    private final FloorStore noted = new FloorStore();
    private final Waiting room = new Waiting();
    private long gateSeenOpenNanos = System.nanoTime() - GATE_ASKED_EVERY.toNanos();
    private volatile boolean wantsRoom;
    private volatile boolean isEnding;

    /**
     * @param poll how often it looks for jobs while nobody wakes it
     * @param wake has its loop look for jobs
     * @param wakeSoon the same in some milliseconds
     */
    public JobWorker(
            String instance, Database db, Collection<JobWork> works, Duration poll, Runnable wake, Runnable wakeSoon) {
        this.instance = instance;
        this.db = db;
        this.poll = poll;
        this.ending = new Ending(db, store, told -> {
            if (told.stream().anyMatch(job -> laneOf(job.kind()).hasPlaces())) {
                wake.run();
            }
        });
        this.back = new HandBack(db, store);
        this.handling = new Handling(db, store, ending, back);
        works.forEach(work -> lanes.put(work.kind().name(), lane(work, wake, wakeSoon)));
        this.minder = new Minder(db, store, lanes.values(), handling, ending, back);
    }

    /** A job that ends itself gives its place to another, and nobody else would look for that one. */
    private Lane lane(JobWork work, Runnable wake, Runnable wakeSoon) {
        boolean givesPlace = work.inTx() != null && work.kind().limits().running() != null;
        return new Lane(work, job -> handling.handle(work, job), () -> {
            if (wantsRoom) {
                room.wake();
            }
            if (givesPlace) {
                wake.run();
            } else if (hasRoomAgain(work.kind().name())) {
                // Others may end until then, and one look does for all of them.
                wakeSoon.run();
            }
        });
    }

    /** Whether the last look has left this kind out for want of room, and there is some. Said once. */
    private boolean hasRoomAgain(String kind) {
        return leftOut.contains(kind) && laneOf(kind).room() > 0 && leftOut.remove(kind);
    }

    /** No gate: whoever leases asks the gate, and what is leased may be finished. */
    @Override
    public WorkerSpec spec() {
        return WorkerSpec.of(Scope.of("jobs", instance))
                .wokenBy(WakeUpLayer.JOB)
                .counting("job")
                .removingScope(true);
    }

    @Override
    public void onWakeUp(WakeUpLayer layer) {
        if (layer == WakeUpLayer.JOB_CANCEL) {
            minder.heardOfCancel();
        }
    }

    /** Whether so many jobs of these kinds would be begun at once, if they were there. They are reckoned with from then on. */
    public boolean wouldTake(Map<String, Integer> jobs) {
        return !isEnding
                && !isStarved()
                && ending.untold().size() < MOST_UNTOLD
                && jobs.entrySet().stream().allMatch(one -> {
                    Lane lane = lanes.get(one.getKey());
                    return lane != null && lane.isPromised(one.getValue());
                });
    }

    /** Whether what it leased would wait for other handlers to let go of the machine: other processes may be free. */
    private boolean isStarved() {
        return lanes.values().stream().anyMatch(Lane::isStarved);
    }

    @Override
    public void prepare() {
        floors.begin(db.inStatement(tx -> noted.known(tx, lanes.keySet())), System.nanoTime());
        // Once, also where this has failed halfway before.
        if (writer == null) {
            writer = Thread.ofPlatform().name("oneroof-job-ends").start(ending);
        }
        if (minding == null) {
            minding = Thread.ofPlatform().name("oneroof-job-minder").start(minder);
        }
    }

    @Override
    public Pass runOnce(Lease lease) {
        if (wanted().isEmpty()) {
            awaitRoom();
            return judged(new Pass.Worked(0));
        }
        Optional<Pass> worked = looked();
        noteFloors();
        if (worked.isPresent()) {
            return judged(worked.get());
        }
        return judged(closedGate().<Pass>map(why -> new Pass.Held(why, poll)).orElseGet(() -> new Pass.Idle(poll)));
    }

    /** Looks follow each other quickly after work, and whoever leases asks the gate: it is only told by this. */
    private Optional<String> closedGate() {
        if (System.nanoTime() - gateSeenOpenNanos < GATE_ASKED_EVERY.toNanos()) {
            return Optional.empty();
        }
        Optional<String> closed = db.inStatement(tx -> gates.whyClosed(tx, Gates.JOBS));
        if (closed.isEmpty()) {
            gateSeenOpenNanos = System.nanoTime();
        }
        return closed;
    }

    /** Empty where there was nothing, also for whom it was heard of by. */
    private Optional<Pass> looked() {
        looking.lock();
        try {
            leftOut.addAll(lanes.keySet());
            Map<String, Integer> wanted = hasRested() ? wantedNow() : wanted();
            leftOut.removeAll(wanted.keySet());
            if (wanted.isEmpty()) {
                return Optional.of(new Pass.Worked(0));
            }
            Look look = take(wanted, leasesAhead(wanted) ? db::inTx : db::inStatement, LONGEST_PAUSE);
            if (look.isUndone()) {
                // Its lanes are careful now: there is room for what can be begun, or none.
                return Optional.of(new Pass.Worked(0));
            }
            int before = takenAtOnce;
            takenAtOnce = 0;
            foundNone = look.leased().isEmpty();
            if (!look.leased().isEmpty()) {
                return Optional.of(new Pass.Worked(before + look.leased().size()));
            }
            return before == 0 ? Optional.empty() : Optional.of(new Pass.CaughtUp(before, poll));
        } finally {
            looking.unlock();
        }
    }

    /**
     * Whether nothing came lately and nothing is in hand. What comes first then is begun sooner where nothing is leased ahead,
     * by a single statement; what else there is follows at once.
     */
    private boolean hasRested() {
        return foundNone && lanes.values().stream().allMatch(lane -> lane.inHand() == 0);
    }

    /** The loop's own look follows, and finds what this one has left. One that is under way may just have missed it. */
    @Override
    public boolean pollNow(Notifications connection) {
        if (!isMyTurn()) {
            return false;
        }
        try {
            Map<String, Integer> wanted = isEnding ? Map.of() : wantedNow();
            if (wanted.isEmpty() || floors.isRaised()) {
                return false;
            }
            List<LeasedJob> taken =
                    take(wanted, connection::inStatement, AT_ONCE).leased();
            takenAtOnce += taken.size();
            return isAll(wanted, taken);
        } catch (RuntimeException | Error e) {
            log.debug("jobs: no look where they were heard of", e);
            return false;
        } finally {
            looking.unlock();
        }
    }

    /** Of a kind that was not asked, or has given all it was asked for, there may be more. */
    private boolean isAll(Map<String, Integer> wanted, List<LeasedJob> taken) {
        return wanted.size() == lanes.size()
                && taken.size() < LEASED_AT_ONCE
                && byKind(taken).entrySet().stream()
                        .allMatch(one -> one.getValue().size() < wanted.getOrDefault(one.getKey(), 0));
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
    private Look take(Map<String, Integer> wanted, Function<Function<Tx, Look>, Look> statement, Duration longestWait) {
        wanted.keySet().forEach(kind -> laneOf(kind).looks());
        Map<String, String> from = floors.now(System.nanoTime());
        int limit = Math.min(
                LEASED_AT_ONCE,
                wanted.values().stream().mapToInt(Integer::intValue).sum());
        AtomicBoolean isSent = new AtomicBoolean();
        Look look = asked(
                wanted.keySet(),
                isSent,
                token -> statement.apply(tx -> {
                    isSent.set(true);
                    // From here on, or a wait for a connection would count as a slow look.
                    long began = System.nanoTime();
                    List<LeasedJob> found =
                            store.lease(tx, wanted, limit, instance, from, token, longestWait, LONGEST_PAUSE);
                    long nanos = System.nanoTime() - began;
                    if (wouldKeepALastOneWaiting(found)) {
                        tx.abandon();
                        return new Look(List.of(), nanos, true);
                    }
                    return new Look(found, nanos, false);
                }));
        if (!look.isUndone()) {
            floors.looked(from.isEmpty(), look.leased(), look.nanos(), System.nanoTime());
            byKind(look.leased()).forEach((kind, jobs) -> laneOf(kind).add(jobs));
            wanted.keySet().forEach(kind -> laneOf(kind).looked());
        }
        return look;
    }

    /** Where no answer comes there may be jobs that are leased, and nobody here knows of: they are handed back. */
    private Look asked(Set<String> kinds, AtomicBoolean isSent, Function<UUID, Look> look) {
        UUID token = UUID.randomUUID();
        try {
            return look.apply(token);
        } catch (RuntimeException | Error e) {
            if (isSent.get() && !SqlState.isLockTimeout(e)) {
                Duration longest = kinds.stream()
                        .map(kind -> laneOf(kind).work().kind().times().lease())
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
                back.leasedBy(token, kinds, longest);
            }
            throw e;
        }
    }

    /** For others: nothing here hangs on it, and nobody looks later for it. */
    private void noteFloors() {
        Optional<Floors.Note> note;
        looking.lock();
        try {
            note = floors.toNote(System.nanoTime());
        } finally {
            looking.unlock();
        }
        try {
            note.ifPresent(one -> db.inStatement(tx -> noted.note(tx, one)));
        } catch (RuntimeException e) {
            log.debug("jobs: floors were not noted", e);
        }
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
        if (ending.untold().size() >= MOST_UNTOLD) {
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
        Duration behind = ending.behind();
        if (behind.compareTo(UNTOLD_TOO_LONG) > 0) {
            return new Pass.Degraded(
                    "the ends of %d jobs could not be told for %d s"
                            .formatted(ending.untold().size(), behind.toSeconds()),
                    poll);
        }
        return handling.running().stream()
                .filter(job -> job.isPast(job.deadline().plus(LAST_GRACE)))
                .findFirst()
                .<Pass>map(job -> new Pass.Stuck(
                        "the handler of %s %s is past its deadline of %d s and does not end"
                                .formatted(job.kind(), job.id(), job.deadline().toSeconds()),
                        pass instanceof Pass.Worked || pass instanceof Pass.CaughtUp ? Duration.ZERO : poll))
                .orElse(pass);
    }

    /** Hands back what was not begun, lets what runs come to its end for a while, then asks it to. */
    @Override
    public void end() {
        looking.lock();
        try {
            isEnding = true;
        } finally {
            looking.unlock();
        }
        back.now(lanes.values().stream()
                .flatMap(lane -> lane.takeBack().stream())
                .toList());
        awaitNone(GRACE);
        handling.running().forEach(job -> job.stop(RunningJob.Stop.SHUTDOWN));
        awaitNone(LAST_GRACE);
        back.again();
        if (!handling.running().isEmpty()) {
            log.error(
                    "{} handlers did not end; their leases run out",
                    handling.running().size());
        }
        ending.close();
        if (!isOver(writer, LONGEST_TELLING)) {
            ending.hurry();
            isOver(writer, LONGEST_TELLING.multipliedBy(2));
        }
        // Until here it keeps the leases of what is not told yet.
        minder.stop();
        isOver(minding, LAST_GRACE);
        back.again();
    }

    private static boolean isOver(@Nullable Thread thread, Duration time) {
        try {
            return thread == null || thread.join(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
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
}
