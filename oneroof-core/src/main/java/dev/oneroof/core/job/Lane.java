package dev.oneroof.core.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The jobs of one kind that this process has in hand: those that run, and a few that are next, so that no handler waits for
 * the database. How many those are follows from how quickly they go: as many as last for a moment.
 */
final class Lane {
    private static final int MOST_AHEAD = 2000;
    private static final Duration TOO_LONG = Duration.ofSeconds(1);

    private final JobWork work;
    private final Consumer<LeasedJob> handling;
    private final Queue<LeasedJob> next = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private int target;

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

    /** How many more to ask for; none while half of what it wants is still there. */
    int room() {
        adapt();
        int have = inHand.get();
        return have > target / 2 && have >= work.atOnce() ? 0 : target - have;
    }

    private void adapt() {
        LeasedJob first = next.peek();
        if (first == null && running.get() > 0) {
            target = Math.min(Math.max(MOST_AHEAD, work.atOnce()), target * 2);
        } else if (first != null && System.nanoTime() - first.leasedNanos() > TOO_LONG.toNanos()) {
            target = Math.max(work.atOnce(), target / 2);
        }
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
                } finally {
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

    /** Those that no handler has begun, as they are just now. */
    List<LeasedJob> waiting() {
        return List.copyOf(next);
    }
}
