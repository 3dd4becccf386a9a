package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database what became of jobs, and what their handlers say, many in one transaction: while one is under way, the
 * next ones gather. A job that is not ours any more is as somebody else left it, and that is logged.
 *
 * <p>One thread does all of it. A job whose row somebody holds is set aside, and waits for that one without the others.
 */
public final class Ending implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Ending.class);
    private static final int MOST = 1000;
    private static final Duration TURN = Duration.ofMillis(100);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(200);
    private static final Duration WARY = Duration.ofSeconds(5);
    /** So often a batch is tried as it is, where the database is there and does not take it. */
    private static final int TRIES = 3;

    /** Values, constraints, ours, mistakes in statements, what triggers raise. */
    private static final List<String> REFUSED = List.of("22", "23", "OR", "42", "P0");

    /** A right that was taken, a function or a table that is not there: of all ends alike, until somebody mends it. */
    private static final Set<String> MENDED_BY_SOMEBODY = Set.of("42501", "42883", "42P01");

    /** As after a failover. */
    private static final String READ_ONLY = "25006";

    /** Tried later, and later again: what is not understood may pass, but not for ever. */
    private static final Duration LONGEST_TRYING = Duration.ofMinutes(10);

    private static final Duration RAREST = Duration.ofSeconds(30);

    private final Database db;
    private final JobStore store;
    private final Consumer<Collection<LeasedJob>> told;
    private final Lines lines;
    private final LinkedBlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final Map<LeasedJob.Key, LeasedJob> untold = new ConcurrentHashMap<>();
    private final Aside<Ended> aside = new Aside<>(TURN.multipliedBy(5));
    private final Waiting waiting = new Waiting();
    /** Until when to ask first who is held: somebody was, just now. */
    private long waryUntilNanos = System.nanoTime();

    private volatile @Nullable Ended telling;
    private volatile boolean closing;

    /** What there is to tell. */
    sealed interface News permits Ended, Lines.Said {}

    /** A job, and what became of it by its handler's word. */
    record Ended(LeasedJob job, Outcome outcome, String errorClass, long nanos) implements News {}

    /** @param told called with the jobs of which the database knows from then on that they are over */
    public Ending(Database db, JobStore store, Consumer<Collection<LeasedJob>> told) {
        this.db = db;
        this.store = store;
        this.told = told;
        this.lines = new Lines(db, store, news::add, waiting);
    }

    void add(LeasedJob job, Outcome outcome, String errorClass) {
        untold.put(job.lease(), job);
        news.add(new Ended(job, outcome, errorClass, System.nanoTime()));
    }

    /** What handlers say: told before the end of their job, where that comes later. */
    Lines lines() {
        return lines;
    }

    /** Until it is closed and all is told, or cannot be. */
    @Override
    public void run() {
        List<News> batch = new ArrayList<>(MOST);
        while (!closing || !news.isEmpty() || !aside.isEmpty()) {
            try {
                News first = news.poll(TURN.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    news.drainTo(batch, MOST - 1);
                }
                tellAll(batch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error failure) {
                // Nobody else would tell what became of jobs from then on.
                log.error("ended jobs were not told", failure);
                forget(of(Ended.class, batch));
            } finally {
                batch.clear();
            }
        }
    }

    private void tellAll(List<News> batch) {
        List<Ended> ends = of(Ended.class, batch);
        telling = ends.isEmpty() ? null : ends.getFirst();
        try {
            keep(of(Lines.Said.class, batch), ends);
            if (!ends.isEmpty()) {
                write(ends);
            }
        } catch (RuntimeException | Error failure) {
            log.error("{} ended jobs were not told; their leases run out", ends.size(), failure);
            forget(ends);
        } finally {
            telling = null;
        }
        writeAgain(aside.due(System.nanoTime()));
    }

    private void keep(List<Lines.Said> said, List<Ended> ends) {
        try {
            lines.keep(said, ends.stream().map(one -> one.job().lease()).collect(Collectors.toSet()));
        } catch (RuntimeException | Error failure) {
            log.error("{} lines of handlers were not kept", said.size(), failure);
        }
    }

    private static <T extends News> List<T> of(Class<T> type, List<News> batch) {
        return batch.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private void write(List<Ended> batch) {
        write(batch, 0);
    }

    /** As long as it takes: the jobs are done. Past their leases somebody else has them, and that is told then. */
    private void write(List<Ended> batch, int tried) {
        boolean passesBy = !aside.isEmpty() || System.nanoTime() - waryUntilNanos < 0;
        Duration pause = Duration.ofMillis(50);
        for (int tries = tried + 1; ; tries++) {
            try {
                written(batch, passesBy);
                return;
            } catch (RuntimeException e) {
                if (isBad(e)) {
                    writeApart(batch, e);
                    return;
                }
                if (SqlState.isLockTimeout(e) && !passesBy) {
                    waryUntilNanos = System.nanoTime() + WARY.toNanos();
                    passesBy = true;
                    continue;
                }
                if (tries >= TRIES && !isNobodysFault(e)) {
                    isInTheWay(batch, e);
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

    /** Too many for the time that a statement may take, or one of them is in the way of all: which, is found by halves. */
    private void isInTheWay(List<Ended> batch, RuntimeException failure) {
        if (batch.size() > 1) {
            writeHalves(batch);
        } else {
            tryLater(batch, failure);
        }
    }

    /** What has been tried as a whole is not waited for again. */
    private void writeHalves(List<Ended> batch) {
        int half = batch.size() / 2;
        write(batch.subList(0, half), TRIES - 1);
        write(batch.subList(half, batch.size()), TRIES - 1);
    }

    /** One that fails for no reason that is known: rarer and rarer, and not for ever, as its lease is kept meanwhile. */
    private void tryLater(List<Ended> one, RuntimeException failure) {
        Duration age = Duration.ofNanos(System.nanoTime() - one.getFirst().nanos());
        if (age.compareTo(LONGEST_TRYING) > 0) {
            giveUp(one, failure);
            return;
        }
        log.warn(
                "job {}: what became of it could not be told, and is tried later: {}",
                one.getFirst().job().id(),
                failure.getMessage());
        setAside(one, age.compareTo(RAREST) < 0 ? age : RAREST);
    }

    /** No end of them is to blame: the server is not to be had, or takes nothing from anybody just now. */
    private static boolean isNobodysFault(RuntimeException failure) {
        return SqlState.isTransient(failure)
                || failure instanceof ConnectionException
                || READ_ONLY.equals(SqlState.of(failure));
    }

    /** Those that somebody held: once, and the others go on. */
    private void writeAgain(List<Ended> held) {
        for (int from = 0; from < held.size(); from += MOST) {
            writeOnce(held.subList(from, Math.min(held.size(), from + MOST)));
        }
    }

    private void writeOnce(List<Ended> held) {
        try {
            written(held, true);
        } catch (RuntimeException | Error failure) {
            if (!(failure instanceof RuntimeException e) || isNobodysFault(e)) {
                log.warn("{} ended jobs could not be told, trying again: {}", held.size(), failure.getMessage());
                setAside(held);
            } else if (held.size() > 1) {
                int half = held.size() / 2;
                writeOnce(held.subList(0, half));
                writeOnce(held.subList(half, held.size()));
            } else if (isBad(e)) {
                giveUp(held, e);
            } else if (SqlState.isHeldUp(e)) {
                setAside(held);
            } else {
                tryLater(held, e);
            }
        }
    }

    private void written(List<Ended> batch, boolean passesBy) {
        List<Ended> held = db.inTx(tx -> {
            store.waitNoLongerThan(tx, LONGEST_WAIT);
            List<Ended> busy = passesBy ? held(tx, batch) : List.of();
            tell(tx, batch.stream().filter(one -> !busy.contains(one)).toList());
            return busy;
        });
        List<Ended> over = batch.stream().filter(one -> !held.contains(one)).toList();
        forget(over);
        told.accept(over.stream().map(Ended::job).toList());
        setAside(held);
    }

    private void setAside(List<Ended> held) {
        setAside(held, Duration.ZERO);
    }

    /** @param atLeast for how long, where that is longer than usual */
    private void setAside(List<Ended> held, Duration atLeast) {
        if (!held.isEmpty() && waiting.isStopped()) {
            log.error("{} ended jobs were not told; they will be done again", held.size());
            forget(held);
        } else {
            held.forEach(
                    one -> log.debug("job {}: its end is told later", one.job().id()));
            aside.add(held, System.nanoTime() + atLeast.toNanos());
        }
    }

    /** Whom to pass by. To extend the others locks them, so that they can be ended without a wait. */
    private List<Ended> held(Tx tx, List<Ended> batch) {
        Map<LeasedJob.Key, JobStore.Verdict> verdicts =
                store.extend(tx, batch.stream().map(Ended::job).toList());
        return batch.stream()
                .filter(one -> verdicts.get(one.job().lease()) == JobStore.Verdict.BUSY)
                .toList();
    }

    /** What will not go better: what the database, or somebody's trigger, refuses, or a mistake of ours. */
    static boolean isBad(RuntimeException failure) {
        if (failure instanceof ConnectionException) {
            // Nothing was asked of it yet, whatever the state says.
            return false;
        }
        String state = SqlState.of(failure);
        return state == null
                ? !(failure instanceof JdbiException)
                : REFUSED.stream().anyMatch(state::startsWith) && !MENDED_BY_SOMEBODY.contains(state);
    }

    /** One of them is bad, and the others must not wait for it. Its lease runs out. */
    private void writeApart(List<Ended> batch, RuntimeException failure) {
        if (batch.size() > 1) {
            writeHalves(batch);
        } else {
            giveUp(batch, failure);
        }
    }

    private void giveUp(List<Ended> one, RuntimeException failure) {
        log.error(
                "job {}: what became of it could not be told; its lease runs out",
                one.getFirst().job().id(),
                failure);
        forget(one);
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
    public Map<LeasedJob.Key, LeasedJob> untold() {
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

    /** Nothing more will be added; what is there is still told. */
    void close() {
        closing = true;
    }

    /** No more waiting for a database that is away, or for somebody who holds a job. */
    void hurry() {
        waiting.stop();
    }
}
