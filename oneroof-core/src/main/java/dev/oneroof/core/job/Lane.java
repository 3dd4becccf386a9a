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
 */
final class Lane {
    private static final Logger log = LoggerFactory.getLogger(Lane.class);
    private static final int MOST_AHEAD = 2000;
    private static final Duration AHEAD = Duration.ofMillis(250);
    private static final Duration ADAPTED_EVERY = Duration.ofMillis(20);

    private final JobWork work;
    private final Consumer<LeasedJob> handling;
    private final Queue<LeasedJob> next = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final LongAdder ended = new LongAdder();
    private int target;
    private long adaptedNanos = System.nanoTime();

    /** @param handling does a job to its end; called on a thread of its own */
    Lane(JobWork work, Consumer<LeasedJob> handling) {
        this.work = work;
        this.handling = handling;
        this.target = work.atOnce();
    }

    JobWork work() {
        return work;
    }

    int inHand() {
        return inHand.get();
    }

    /** How many more to ask for; none while half of what it wants is still there. For one thread. */
    int room() {
        adapt();
        int have = inHand.get();
        return have > target / 2 && have >= work.atOnce() ? 0 : target - have;
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
        target = work.atOnce() + (int) Math.min(MOST_AHEAD, soon);
    }

    void add(List<LeasedJob> jobs) {
        inHand.addAndGet(jobs.size());
        next.addAll(jobs);
        for (int n = 0; n < jobs.size() && mayStart(); n++) {
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
                }
                job = next.poll();
            }
            running.decrementAndGet();
            // One that was added just now saw this thread running and started none.
        } while (!next.isEmpty() && mayStart());
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
