package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobWork;
import dev.oneroof.core.job.LeasedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of one kind that this process has in hand: those that run, and a few that are next, so that no handler waits for
 * the database. How many those are follows from how long handlers take ({@link Pace}): as many as last for a quarter of a
 * second, none where one takes longer than that. None either of a kind with a limit or a rate: what waits here would use up
 * what other processes could begin.
 *
 * <p>A job on its last attempt is never among those that are next: a process that dies takes an attempt of all that it has
 * leased, and that one would be given up though no handler has begun it. Where there are such jobs the lane asks for no more
 * than it begins at once.
 */
final class Lane {
    private static final Logger log = LoggerFactory.getLogger(Lane.class);
    private static final Duration CAREFUL = Duration.ofSeconds(1);
    private static final Duration NO_TURN = Duration.ofSeconds(1);
    private static final Duration NOT_BEGUN = Duration.ofSeconds(1);

    private final JobWork work;
    private final Predicate<LeasedJob> handling;
    private final Runnable roomMade;
    private final Pace pace;
    private final Queue<LeasedJob> next = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    /** Threads that were started and have had no turn yet, and when there was last a turn, or nobody to have one. */
    private final AtomicInteger starting = new AtomicInteger();

    private volatile long turnNanos = System.nanoTime();
    private volatile long restingUntilNanos = System.nanoTime();
    private long carefulUntilNanos = System.nanoTime();
    /** How many were enqueued here, and told nobody else, and no look since then has ended. */
    private int promised;

    private int promisedBefore;

    /**
     * @param handling does a job to its end, called on a thread of its own; false where none can be begun just now
     * @param roomMade called when there is room for another one
     */
    Lane(JobWork work, Predicate<LeasedJob> handling, Runnable roomMade) {
        this.work = work;
        this.handling = handling;
        this.roomMade = roomMade;
        this.pace = new Pace(work.atOnce(), System.nanoTime());
    }

    JobWork work() {
        return work;
    }

    /** Whether the end of one makes place for another, in any process. */
    boolean hasPlaces() {
        return work.kind().limits().running() != null;
    }

    private boolean isLimited() {
        return hasPlaces() || work.kind().limits().rate() != null;
    }

    int inHand() {
        return inHand.get();
    }

    /** How many more to ask for; none while half of what it wants is still there. */
    synchronized int room() {
        long now = System.nanoTime();
        if (now - restingUntilNanos < 0) {
            return 0;
        }
        int have = inHand.get();
        boolean noneAhead = isLimited() || now - carefulUntilNanos < 0;
        int most = work.atOnce() + (noneAhead ? 0 : pace.ahead(now, have > 0));
        return have > most / 2 && have >= work.atOnce() ? 0 : most - have;
    }

    /** How many would be begun at once. Only {@link #add} makes it fewer. */
    int free() {
        return Math.max(0, work.atOnce() - inHand.get());
    }

    /** Whether so many more would be begun at once. They count as begun until a look that begins after this has ended. */
    synchronized boolean isPromised(int jobs) {
        if (jobs > free() - promised || System.nanoTime() - restingUntilNanos < 0) {
            return false;
        }
        promised += jobs;
        return true;
    }

    /** Somebody is about to look for jobs: what was promised is there, or will not be. */
    synchronized void looks() {
        promisedBefore = promised;
    }

    /** What the look brought is in hand. */
    synchronized void looked() {
        promised -= promisedBefore;
        promisedBefore = 0;
    }

    /** Whether one of these, in their order, would wait on its last attempt. */
    synchronized boolean wouldKeepALastOneWaiting(List<LeasedJob> jobs) {
        beCareful(jobs);
        return jobs.stream().skip(free()).anyMatch(LeasedJob::isLastAttempt);
    }

    private void beCareful(List<LeasedJob> jobs) {
        if (jobs.stream().anyMatch(LeasedJob::isLastAttempt)) {
            carefulUntilNanos = System.nanoTime() + CAREFUL.toNanos();
        }
    }

    synchronized void add(List<LeasedJob> jobs) {
        beCareful(jobs);
        inHand.addAndGet(jobs.size());
        next.addAll(jobs);
        for (int n = 0; n < jobs.size() && mayStart(); n++) {
            if (starting.get() == 0) {
                turnNanos = System.nanoTime();
            }
            start();
        }
    }

    private void start() {
        starting.incrementAndGet();
        try {
            Thread.ofVirtual().name("oneroof-job-" + work.kind().name()).start(this::run);
        } catch (Throwable failure) {
            // There is none that waits for a turn. What it was for goes to another, or is handed back.
            starting.decrementAndGet();
            running.decrementAndGet();
            log.error(
                    "no thread could be started for a job of '{}'", work.kind().name(), failure);
        }
    }

    private boolean mayStart() {
        int now = running.get();
        while (now < work.atOnce()) {
            if (running.compareAndSet(now, now + 1)) {
                return true;
            }
            now = running.get();
        }
        return false;
    }

    /** One of the lane's threads: a job after the other, as long as there are any. */
    private void run() {
        starting.decrementAndGet();
        turnNanos = System.nanoTime();
        do {
            LeasedJob job = next.poll();
            while (job != null) {
                handle(job);
                job = next.poll();
            }
            running.decrementAndGet();
            // One that was added just now saw this thread running and started none.
        } while (!next.isEmpty() && mayStart());
    }

    private void handle(LeasedJob job) {
        long began = System.nanoTime();
        try {
            if (!handling.test(job)) {
                restingUntilNanos = System.nanoTime() + NOT_BEGUN.toNanos();
            }
        } catch (Throwable failure) {
            // The thread goes on to the next one, whatever came of this.
            log.error("job {}: its end could not be told; its lease runs out", job.id(), failure);
        } finally {
            pace.ended(System.nanoTime() - began);
            inHand.decrementAndGet();
            roomMade.run();
        }
    }

    /**
     * Whether its threads have no turn: handlers that compute, and do not wait for anything, keep as many threads of the
     * machine as there are for all of them.
     */
    boolean isStarved() {
        return starting.get() > 0 && System.nanoTime() - turnNanos > NO_TURN.toNanos();
    }

    /** Those that no handler has begun. */
    List<LeasedJob> waiting() {
        return List.copyOf(next);
    }

    /** Takes out one that no handler has begun; false where it is not here. */
    boolean takeOut(LeasedJob job) {
        boolean isHere = next.remove(job);
        if (isHere) {
            inHand.decrementAndGet();
        }
        return isHere;
    }

    /** Takes back all that no handler has begun. */
    List<LeasedJob> takeBack() {
        List<LeasedJob> back = new ArrayList<>();
        for (LeasedJob job = next.poll(); job != null; job = next.poll()) {
            back.add(job);
        }
        inHand.addAndGet(-back.size());
        return back;
    }

    /** Whether one that no handler has begun has used up a third of its lease. */
    boolean hasWaitedForLong() {
        LeasedJob first = next.peek();
        return first != null && first.hasUsed(1 / 3.0);
    }
}
