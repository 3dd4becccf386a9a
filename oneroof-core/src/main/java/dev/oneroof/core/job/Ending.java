package dev.oneroof.core.job;

import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database what became of jobs, and what their handlers say, many in one transaction: while one is under way, the
 * next ones gather. A job that is not ours any more is as somebody else left it, and that is logged.
 */
final class Ending implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Ending.class);
    private static final int MOST = 1000;
    private static final Duration TURN = Duration.ofMillis(100);
    private static final Duration AWAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);

    private final Database db;
    private final JobStore store;
    private final LinkedBlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final Map<LeasedJob.Key, LeasedJob> untold = new ConcurrentHashMap<>();
    private final Waiting waiting = new Waiting();
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Ended telling;
    private volatile boolean closing;

    /** What there is to tell. */
    sealed interface News {
        LeasedJob job();
    }

    /** A job, and what became of it by its handler's word. */
    record Ended(LeasedJob job, Outcome outcome, String errorClass, long nanos) implements News {}

    /**
     * A line of a handler. It is written down by whoever comes first: here, or by the handler's own transaction where that
     * ends the job.
     *
     * @param writing one for all lines of a job: they stay in their order, and a job is not ended while one is written
     */
    record Said(LeasedJob job, String line, @Nullable Integer percent, ReentrantLock writing, AtomicBoolean isWritten)
            implements News {
        Said(LeasedJob job, String line, @Nullable Integer percent, ReentrantLock writing) {
            this(job, line, percent, writing, new AtomicBoolean());
        }

        void once(Runnable write) {
            writing.lock();
            try {
                if (isWritten.compareAndSet(false, true)) {
                    write.run();
                }
            } finally {
                writing.unlock();
            }
        }
    }

    Ending(Database db, JobStore store, int writers) {
        this.db = db;
        this.store = store;
        for (int n = 0; n < writers; n++) {
            threads.add(Thread.ofPlatform().name("oneroof-job-ends-" + n).start(this::run));
        }
    }

    void add(LeasedJob job, Outcome outcome, String errorClass) {
        untold.put(job.lease(), job);
        news.add(new Ended(job, outcome, errorClass, System.nanoTime()));
    }

    /** Told before the end of its job, where that comes later. */
    void add(Said line) {
        news.add(line);
    }

    private void run() {
        List<News> batch = new ArrayList<>(MOST);
        while (!closing || !news.isEmpty()) {
            try {
                News first = news.poll(TURN.toMillis(), TimeUnit.MILLISECONDS);
                if (first == null) {
                    continue;
                }
                batch.add(first);
                news.drainTo(batch, MOST - 1);
                tellAll(batch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                batch.clear();
            }
        }
    }

    private void tellAll(List<News> batch) {
        List<Ended> ends = of(Ended.class, batch);
        telling = ends.isEmpty() ? null : ends.getFirst();
        try {
            keep(of(Said.class, batch));
            if (!ends.isEmpty()) {
                write(ends);
            }
        } catch (RuntimeException | Error failure) {
            log.error("{} ended jobs were not told; their leases run out", ends.size(), failure);
            forget(ends);
        } finally {
            telling = null;
        }
    }

    private static <T extends News> List<T> of(Class<T> type, List<News> batch) {
        return batch.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /**
     * They are worth less than the ends that wait behind them: those that cannot be kept now are not kept. A database that is
     * away takes no ends either.
     */
    private void keep(List<Said> lines) {
        boolean goesOn = true;
        while (!lines.isEmpty() && !isKept(lines) && goesOn) {
            goesOn = waiting.pause(AWAY);
        }
    }

    private boolean isKept(List<Said> lines) {
        List<Said> written = new ArrayList<>();
        try {
            db.useTx(tx -> {
                store.waitNoLonger(tx);
                lines.forEach(line -> line.once(() -> {
                    written.add(line);
                    say(tx, line);
                }));
            });
            return true;
        } catch (RuntimeException e) {
            written.forEach(line -> line.isWritten().set(false));
            log.warn("{} lines of handlers were not kept: {}", lines.size(), e.getMessage());
            return isBad(e) || SqlState.isHeldUp(e);
        }
    }

    private void say(Tx tx, Said line) {
        if (!store.say(tx, line.job(), line.line(), line.percent())) {
            log.debug(
                    "job {}: was over before a line of its handler was kept",
                    line.job().id());
        }
    }

    /** As long as it takes: the jobs are done. Past their leases somebody else has them, and that is told then. */
    private void write(List<Ended> batch) {
        Duration pause = Duration.ofMillis(50);
        while (true) {
            try {
                db.useTx(tx -> {
                    store.waitNoLonger(tx);
                    tell(tx, batch);
                });
                forget(batch);
                return;
            } catch (RuntimeException e) {
                if (isBad(e) || (SqlState.isLockTimeout(e) && batch.size() > 1)) {
                    writeApart(batch, e);
                    return;
                }
                if (SqlState.isLockTimeout(e) && !closing) {
                    // Somebody else holds this one's row: it waits behind the others.
                    news.addAll(batch);
                    return;
                }
                log.warn("{} ended jobs could not be told, trying again: {}", batch.size(), e.getMessage());
                boolean goesOn = waiting.pause(pause);
                if (!goesOn && closing) {
                    log.error("{} ended jobs were not told; they will be done again", batch.size());
                    forget(batch);
                    return;
                }
                pause = pause.multipliedBy(2).compareTo(LONGEST_BACKOFF) < 0 ? pause.multipliedBy(2) : LONGEST_BACKOFF;
            }
        }
    }

    /** What will not go better: a value that the database refuses, or a mistake of ours. */
    private static boolean isBad(RuntimeException failure) {
        String state = SqlState.of(failure);
        return state == null
                ? !(failure instanceof JdbiException)
                : state.startsWith("22") || state.startsWith("23") || state.startsWith("OR") || state.startsWith("42");
    }

    /** One of them is bad, and the others must not wait for it. Its lease runs out. */
    private void writeApart(List<Ended> batch, RuntimeException failure) {
        if (batch.size() == 1) {
            log.error(
                    "job {}: what became of it could not be told",
                    batch.getFirst().job().id(),
                    failure);
            forget(batch);
            return;
        }
        List.copyOf(batch).forEach(one -> write(List.of(one)));
    }

    private void tell(Tx tx, List<Ended> batch) {
        List<LeasedJob> done = batch.stream()
                .filter(one -> one.outcome() instanceof Outcome.Done)
                .map(Ended::job)
                .toList();
        if (!done.isEmpty()) {
            Set<JobId> lost = store.complete(tx, done);
            lost.forEach(Ending::lost);
        }
        batch.stream().filter(one -> !(one.outcome() instanceof Outcome.Done)).forEach(one -> tell(tx, one));
    }

    private void tell(Tx tx, Ended one) {
        LeasedJob job = one.job();
        boolean held = switch (one.outcome()) {
            case Outcome.Done done -> throw new IllegalStateException("told with the others");
            case Outcome.Retry retry ->
                !store.fail(tx, job, one.errorClass(), retry.why(), retry.after(), false)
                        .equals("lost");
            case Outcome.Dead dead ->
                !store.fail(tx, job, one.errorClass(), dead.why(), null, true).equals("lost");
            case Outcome.Snooze snooze -> store.snooze(tx, job, snooze.until());
            case Outcome.Cancel cancel -> store.giveUp(tx, job, cancel.why());
        };
        if (!held) {
            lost(job.id());
        }
    }

    private static void lost(JobId job) {
        log.warn("job {}: its lease was not ours any more; what became of it is what its new holder says", job);
    }

    /** Those that the database does not know to be over yet. */
    Map<LeasedJob.Key, LeasedJob> untold() {
        return untold;
    }

    /** For how long the one that is being told has been over; none where nothing is. */
    Duration behind() {
        Ended now = telling;
        return now == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - now.nanos());
    }

    private void forget(List<Ended> batch) {
        batch.forEach(one -> untold.remove(one.job().lease()));
    }

    /** Tells what is there, for a while where the database is away, and ends. */
    @Override
    public void close() {
        closing = true;
        for (Thread thread : threads) {
            try {
                if (!thread.join(Duration.ofSeconds(5))) {
                    waiting.stop();
                    thread.join(Duration.ofSeconds(10));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
