package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobHandlerSpec;
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
 * Runs the leased jobs of one kind. In flight are those that run and a few prefetched ones, so that no handler waits for the
 * database. {@link PrefetchSizer} derives their number from the run time of the handlers: as many as last for 250 ms, none if
 * one handler takes longer. A kind with a limit or a rate is not prefetched: its queued jobs would use up capacity that other
 * processes could use.
 *
 * <p>A job on its last attempt is never prefetched. A process that dies uses up an attempt of every job it has leased, and
 * that job would become a dead letter although no handler had started it. While a kind has such jobs, the dispatcher asks for
 * no more than it can start immediately.
 */
final class KindDispatcher {
    private static final Logger log = LoggerFactory.getLogger(KindDispatcher.class);
    private static final Duration NO_PREFETCH = Duration.ofSeconds(1);
    private static final Duration STARVED_AFTER = Duration.ofSeconds(1);
    private static final Duration REST_AFTER_REFUSAL = Duration.ofSeconds(1);

    private final JobHandlerSpec spec;
    private final Predicate<LeasedJob> runner;
    private final Runnable onRoom;
    private final PrefetchSizer prefetch;
    private final Queue<LeasedJob> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    /** Threads that were started and have not been scheduled yet. */
    private final AtomicInteger starting = new AtomicInteger();
    /** When a thread was last scheduled, or none was waiting for it. */
    private volatile long scheduledNanos = System.nanoTime();

    private volatile long restingUntilNanos = System.nanoTime();
    private long noPrefetchUntilNanos = System.nanoTime();
    /** Jobs enqueued by this process without a wake-up for others, which no lease that started later has covered yet. */
    private int promised;

    private int promisedBeforeLease;

    /**
     * @param runner runs a job to its end on the calling thread; false if no job of the kind can be started at present
     * @param onRoom called when there is room for another job
     */
    KindDispatcher(JobHandlerSpec spec, Predicate<LeasedJob> runner, Runnable onRoom) {
        this.spec = spec;
        this.runner = runner;
        this.onRoom = onRoom;
        this.prefetch = new PrefetchSizer(spec.atOnce(), System.nanoTime());
    }

    String kind() {
        return spec.kind().name();
    }

    Duration leaseTime() {
        return spec.kind().times().lease();
    }

    /** Whether the end of one job lets another start, in any process. */
    boolean hasRunningLimit() {
        return spec.kind().limits().running() != null;
    }

    private boolean isLimited() {
        return hasRunningLimit() || spec.kind().limits().rate() != null;
    }

    int inFlight() {
        return inFlight.get();
    }

    /** How many more jobs to lease; 0 while more than half of the wanted ones are in flight and all handlers are busy. */
    synchronized int room() {
        long now = System.nanoTime();
        if (now - restingUntilNanos < 0) {
            return 0;
        }
        int have = inFlight.get();
        boolean noPrefetch = isLimited() || now - noPrefetchUntilNanos < 0;
        int most = spec.atOnce() + (noPrefetch ? 0 : prefetch.size(now, have > 0));
        return have > most / 2 && have >= spec.atOnce() ? 0 : most - have;
    }

    /** How many jobs would start immediately. Only {@link #add} reduces it. */
    int free() {
        return Math.max(0, spec.atOnce() - inFlight.get());
    }

    /** Reserves handlers for so many jobs until a lease that starts after this has ended; false if they are not free. */
    synchronized boolean promise(int jobs) {
        if (jobs > free() - promised || System.nanoTime() - restingUntilNanos < 0) {
            return false;
        }
        promised += jobs;
        return true;
    }

    /** A lease starts: it finds the promised jobs that were committed. */
    synchronized void leaseStarts() {
        promisedBeforeLease = promised;
    }

    /** The jobs of the lease were added. */
    synchronized void leaseEnded() {
        promised -= promisedBeforeLease;
        promisedBeforeLease = 0;
    }

    /** Whether one of these jobs, in their order, would be queued on its last attempt. */
    synchronized boolean wouldQueueLastAttempt(List<LeasedJob> jobs) {
        suspendPrefetchFor(jobs);
        return jobs.stream().skip(free()).anyMatch(LeasedJob::isLastAttempt);
    }

    private void suspendPrefetchFor(List<LeasedJob> jobs) {
        if (jobs.stream().anyMatch(LeasedJob::isLastAttempt)) {
            noPrefetchUntilNanos = System.nanoTime() + NO_PREFETCH.toNanos();
        }
    }

    synchronized void add(List<LeasedJob> jobs) {
        suspendPrefetchFor(jobs);
        inFlight.addAndGet(jobs.size());
        queue.addAll(jobs);
        for (int n = 0; n < jobs.size() && mayStart(); n++) {
            if (starting.get() == 0) {
                scheduledNanos = System.nanoTime();
            }
            start();
        }
    }

    private void start() {
        starting.incrementAndGet();
        try {
            Thread.ofVirtual().name("oneroof-job-" + kind()).start(this::run);
        } catch (Throwable failure) {
            // Another thread takes the job from the queue, or it is handed back.
            starting.decrementAndGet();
            running.decrementAndGet();
            log.error("could not start a thread for a job of kind '{}'", kind(), failure);
        }
    }

    private boolean mayStart() {
        int now = running.get();
        while (now < spec.atOnce()) {
            if (running.compareAndSet(now, now + 1)) {
                return true;
            }
            now = running.get();
        }
        return false;
    }

    /** One thread of the dispatcher: runs queued jobs until there are none. */
    private void run() {
        starting.decrementAndGet();
        scheduledNanos = System.nanoTime();
        do {
            LeasedJob job = queue.poll();
            while (job != null) {
                run(job);
                job = queue.poll();
            }
            running.decrementAndGet();
            // A job added just before saw this thread running and started no other.
        } while (!queue.isEmpty() && mayStart());
    }

    private void run(LeasedJob job) {
        long started = System.nanoTime();
        try {
            if (!runner.test(job)) {
                restingUntilNanos = System.nanoTime() + REST_AFTER_REFUSAL.toNanos();
            }
        } catch (Throwable failure) {
            // The thread continues with the next job.
            log.error("job {}: could not record its outcome; it will be retried after lease expiry", job.id(), failure);
        } finally {
            prefetch.ended(System.nanoTime() - started);
            inFlight.decrementAndGet();
            onRoom.run();
        }
    }

    /** Whether its threads are not scheduled: handlers that compute without blocking occupy all carrier threads. */
    boolean isStarved() {
        return starting.get() > 0 && System.nanoTime() - scheduledNanos > STARVED_AFTER.toNanos();
    }

    /** The jobs that no handler has started. */
    List<LeasedJob> queued() {
        return List.copyOf(queue);
    }

    /** Removes a job that no handler has started; false if it is not queued here. */
    boolean remove(LeasedJob job) {
        boolean isQueued = queue.remove(job);
        if (isQueued) {
            inFlight.decrementAndGet();
        }
        return isQueued;
    }

    /** Removes and returns all jobs that no handler has started. */
    List<LeasedJob> drain() {
        List<LeasedJob> drained = new ArrayList<>();
        for (LeasedJob job = queue.poll(); job != null; job = queue.poll()) {
            drained.add(job);
        }
        inFlight.addAndGet(-drained.size());
        return drained;
    }

    /** Whether the first queued job has used a third of its lease. */
    boolean hasWaitedTooLong() {
        LeasedJob first = queue.peek();
        return first != null && first.hasUsed(1 / 3.0);
    }
}
