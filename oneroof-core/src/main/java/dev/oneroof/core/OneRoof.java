package dev.oneroof.core;

import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.job.JobDraft;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.worker.JobWorker;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.schedule.Schedule;
import dev.oneroof.core.schedule.Schedules;
import dev.oneroof.core.tail.TailDraft;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Observer;
import dev.oneroof.core.worker.OneShotWorker;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSet;
import dev.oneroof.core.worker.WorkerSetRunner;
import dev.oneroof.core.worker.Workers;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A running OneRoof inside a Java program.
 *
 * <pre>{@code
 * try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("billing-1"), dataSource)) {
 *     oneroof.register(orders).forEach(log::warn);
 *     oneroof.tail("mailer", "orders").reading("email").eachRow((tx, row) -> …);
 *     oneroof.start();
 *     …
 * }
 * }</pre>
 *
 * <p>The schema must have been migrated. The data source stays the caller's to close.
 */
public final class OneRoof implements AutoCloseable {
    private final Wiring wiring;
    private final Workers workers;
    private final List<Worker> waiting = new ArrayList<>();
    private final Set<Scope> taken = new HashSet<>();
    private final List<JobHandlerSpec> jobHandlers = new ArrayList<>();
    private final List<Feature> features = new ArrayList<>();
    private final Jobs jobs;
    private volatile @Nullable JobWorker jobWorker;
    private boolean watching;
    private @Nullable WorkerSetRunner setRunner;
    private @Nullable Thread setThread;

    private OneRoof(Wiring wiring, Workers workers) {
        this.wiring = wiring;
        this.workers = workers;
        this.jobs = new Jobs(wiring.database(), this::wouldTake, () -> workers.wake(WakeUpLayer.JOB));
    }

    private boolean wouldTake(Map<String, Integer> jobsByKind) {
        JobWorker worker = jobWorker;
        return worker != null && workers.wouldPoll(WakeUpLayer.JOB) && worker.wouldTake(jobsByKind);
    }

    public static OneRoof open(RuntimeConfig config, DataSource dataSource) {
        Wiring wiring = new Wiring(config, dataSource);
        return new OneRoof(wiring, wiring.workers());
    }

    /** Reports what the loops do. To be called before the start. */
    public OneRoof observedBy(Observer observer) {
        workers.observedBy(observer);
        return this;
    }

    /** Adds features; their workers and job kinds run from {@link #start} on. */
    public OneRoof with(Collection<? extends Feature> added) {
        added.forEach(features::add);
        return this;
    }

    /**
     * Registers a table as a source, and returns what its owner should know, such as an index that is missing. The same
     * again is no change; a table that cannot be tailed, or another definition under the name, is refused. So is a source
     * without a time column whose id no sequence makes, such as a uuid: new rows would sort below those already read.
     */
    public List<String> register(TailSource source) {
        return wiring.register(source);
    }

    /**
     * Begins a tail worker on a source. The worker's name is that of its cursor: under the same name it goes on where it
     * was, also in another process; under another it sees every row again.
     */
    public TailDraft<OneRoof> tail(String worker, String source) {
        return new TailDraft<>(worker, source, this::tail);
    }

    /** Adds a tail worker; it runs from {@link #start} on. Its source must be registered by then. */
    public OneRoof tail(TailSpec spec) {
        if (!taken.add(spec.scope())) {
            // Two would take the rows from each other.
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "worker: '%s' is there already; allowed is one of a name".formatted(spec.scope()));
        }
        waiting.add(wiring.tailWorker(spec));
        return this;
    }

    /**
     * Defines the handler of a kind of jobs, and registers the kind. Its jobs run from {@link #start} on, or at once if this
     * instance has started, while the gate {@code queue.jobs.enabled} is open. A second handler of a kind is refused.
     */
    public JobDraft<OneRoof> work(JobKind kind) {
        return new JobDraft<>(kind, this::work);
    }

    private synchronized OneRoof work(JobHandlerSpec spec) {
        String kind = spec.kind().name();
        if (jobHandlers.stream().anyMatch(known -> known.kind().name().equals(kind))) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "kind: '%s' has a handler in this instance already; allowed is one per kind".formatted(kind));
        }
        jobs().register(spec.kind(), wiring.instance());
        jobHandlers.add(spec);
        JobWorker worker = jobWorker;
        if (worker != null) {
            worker.add(spec);
        } else if (watching) {
            workers.start(newJobWorker());
        }
        return this;
    }

    private JobWorker newJobWorker() {
        JobWorker worker = wiring.jobWorker(jobHandlers, workers);
        jobWorker = worker;
        return worker;
    }

    /** Enqueues jobs. Those that this process runs start without a wake-up from the database. */
    public Jobs jobs() {
        return jobs;
    }

    /**
     * Adds a schedule that enqueues jobs of a kind by cron or interval, fired by one of the running instances. It replaces a
     * schedule of the same name; unless the recurrence changes, the next due time stays.
     */
    public OneRoof schedule(Schedule schedule) {
        new Schedules(wiring.database()).replace(schedule, wiring.instance());
        return this;
    }

    /**
     * Starts what was added. Besides, one of the running instances finds silent executors, one maintains the job queue and fires
     * schedules; each instance can do both.
     */
    public synchronized OneRoof start() {
        if (!watching) {
            FeatureContext context = wiring.featureContext(jobs);
            features.forEach(wiring::demandSeeds);
            features.forEach(feature -> feature.jobs(context).forEach(this::work));
            features.forEach(feature -> feature.workers(context).forEach(worker -> {
                taken.add(worker.spec().scope());
                waiting.add(worker);
            }));
            List<WorkerSet> sets = features.stream()
                    .flatMap(feature -> feature.workerSets(context).stream())
                    .toList();
            watching = true;
            waiting.add(wiring.staleCheck());
            if (!jobHandlers.isEmpty()) {
                waiting.add(newJobWorker());
            }
            waiting.add(wiring.jobKeeper(jobs));
            if (!sets.isEmpty()) {
                setRunner = new WorkerSetRunner(workers, sets, Set.copyOf(taken)::contains);
                setThread = Thread.ofPlatform().name("oneroof-worker-sets").unstarted(setRunner);
            }
        }
        waiting.forEach(workers::start);
        waiting.clear();
        if (setThread != null && setThread.getState() == Thread.State.NEW) {
            setThread.start();
        }
        return this;
    }

    /** The worker that one of the features declares for a scope. */
    public Optional<Worker> declared(Scope scope) {
        FeatureContext context = wiring.featureContext(jobs);
        return features.stream()
                .map(feature -> feature.worker(context, scope))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** As {@link #runOnce(Worker, Duration)}, of a tail worker. */
    public OneShotWorker.Result runOnce(TailSpec spec, Duration patience) {
        return runOnce(wiring.tailWorker(spec), patience);
    }

    /**
     * Runs a worker until it has nothing to do for now, and gives its scope back. Refused while one of its gates is closed,
     * or another instance holds it.
     *
     * @param patience how long all of it may take
     */
    public OneShotWorker.Result runOnce(Worker worker, Duration patience) {
        boolean isKnown = wiring.demandFree(worker);
        OneShotWorker once = new OneShotWorker(worker, !isKnown);
        Workers.Started started = workers.start(once);
        try {
            return once.result().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            RuntimeException failure = once.failure();
            throw new OneRoofException(
                    ErrorCode.FAILED,
                    "worker: '%s' did not finish within %d s%s"
                            .formatted(
                                    worker.spec().scope(),
                                    patience.toSeconds(),
                                    failure == null ? "" : "; its last pass failed: " + failure.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OneRoofException(ErrorCode.INTERRUPTED, "interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it is only ever completed with a value
        } finally {
            started.end();
        }
    }

    /**
     * Runs the work in one transaction: committed when it returns, rolled back when it throws or abandons. Its statements go
     * to the server as they are written; {@code jobs().enqueue(tx, …)} and {@code Outbox.emit(tx, …)} take part in it.
     */
    public <R> R inTx(Function<UserTx, R> work) {
        return database().inTx(tx -> work.apply(tx.asWritten()));
    }

    /** As {@link #inTx}, without a result. */
    public void useTx(Consumer<UserTx> work) {
        database().useTx(tx -> work.accept(tx.asWritten()));
    }

    /**
     * For OneRoof's own classes, such as {@code new Schedules(oneroof.database())}. In its transactions a name
     * {@code oneroof.something} means OneRoof's schema, whatever that is called: statements of a program belong in
     * {@link #inTx}.
     */
    public Database database() {
        return wiring.database();
    }

    /** Drains: every batch that runs is finished, leases are given back. */
    @Override
    public void close() {
        if (setRunner != null && setThread != null) {
            setRunner.stop();
            try {
                setThread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        workers.close();
    }
}
