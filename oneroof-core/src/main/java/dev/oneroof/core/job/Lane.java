package dev.oneroof.core.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of one kind that this process has in hand: those that run, and a few that are next, so that no handler waits for
 * the database. How many those are follows from how quickly they went: as many as last for a quarter of a second.
 *
 * <p>A job on its last attempt is never among those that are next: a process that dies takes an attempt of all that it has
 * leased, and that one would be given up though no handler has begun it. Where there are such jobs the lane asks for no more
 * than it begins at once.
 */
final class Lane {
    private static final Logger log = LoggerFactory.getLogger(Lane.class);
    private static final int MOST_AHEAD = 2000;
    private static final Duration AHEAD = Duration.ofMillis(250);
    private static final Duration ADAPTED_EVERY = Duration.ofMillis(20);
    private static final Duration CAREFUL = Duration.ofSeconds(1);
    private static final Duration NO_TURN = Duration.ofSeconds(1);

    private final JobWork work;
    private final Consumer<LeasedJob> handling;
    private final Runnable roomMade;
    private final Queue<LeasedJob> next = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    /** Threads that were started and have had no turn yet, and when there was last a turn, or nobody to have one. */
    private final AtomicInteger starting = new AtomicInteger();

    private volatile long turnNanos = System.nanoTime();
    private final LongAdder ended = new LongAdder();
    private int target;
    private long carefulUntilNanos = System.nanoTime();
    private long adaptedNanos = System.nanoTime();

    /**
     * @param handling does a job to its end; called on a thread of its own
     * @param roomMade called when there is room for another one
     */
    Lane(JobWork work, Consumer<LeasedJob> handling, Runnable roomMade) {
        this.work = work;
        this.handling = handling;
        this.roomMade = roomMade;
        this.target = work.atOnce();
    }

    JobWork work() {
        return work;
    }

    int inHand() {
        return inHand.get();
    }

    /** How many more to ask for; none while half of what it wants is still there. */
    synchronized int room() {
        adapt();
        int have = inHand.get();
        int most = System.nanoTime() - carefulUntilNanos < 0 ? work.atOnce() : target;
        return have > most / 2 && have >= work.atOnce() ? 0 : most - have;
    }

    /** How many would be begun at once. Only {@link #add} makes it fewer. */
    int free() {
        return Math.max(0, work.atOnce() - inHand.get());
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

    private void adapt() {
        long now = System.nanoTime();
        long since = now - adaptedNanos;
        if (since < ADAPTED_EVERY.toNanos()) {
            return;
        }
        long done = ended.sumThenReset();
        adaptedNanos = now;
        long soon = Math.round((double) done / since * AHEAD.toNanos());
        // Handlers that take longer than that lose nothing by a look for each.
        target = work.atOnce() + (soon < work.atOnce() ? 0 : (int) Math.min(MOST_AHEAD, soon));
    }

    synchronized void add(List<LeasedJob> jobs) {
        beCareful(jobs);
        inHand.addAndGet(jobs.size());
        next.addAll(jobs);
        for (int n = 0; n < jobs.size() && mayStart(); n++) {
            if (starting.get() == 0) {
                turnNanos = System.nanoTime();
            }
            starting.incrementAndGet();
            Thread.ofVirtual().name("oneroof-job-" + work.kind().name()).start(this::run);
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
                try {
                    handling.accept(job);
                } catch (Throwable failure) {
                    // The thread goes on to the next one, whatever came of this.
                    log.error("job {}: its end could not be told; its lease runs out", job.id(), failure);
                } finally {
                    ended.increment();
                    inHand.decrementAndGet();
                    roomMade.run();
                }
                job = next.poll();
            }
            running.decrementAndGet();
            // One that was added just now saw this thread running and started none.
        } while (!next.isEmpty() && mayStart());
    }

    /**
     * Whether its threads have no turn: handlers that compute, and do not wait for anything, keep as many threads of the
     * machine as there are for all of them.
     */
    boolean isStarved() {
        return starting.get() > 0 && System.nanoTime() - turnNanos > NO_TURN.toNanos();
    }

    /** Takes back those that no handler has begun. */
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
        return first != null && System.nanoTime() - first.leasedNanos() > first.leaseNanos() / 3;
    }
}
