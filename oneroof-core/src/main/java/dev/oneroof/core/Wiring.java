package dev.oneroof.core;

import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.feature.SeedStore;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.worker.DeadLetterCheck;
import dev.oneroof.core.job.worker.JobKeeper;
import dev.oneroof.core.job.worker.JobWorker;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.liveness.StaleCheck;
import dev.oneroof.core.schedule.ScheduleFirer;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.TailStores;
import dev.oneroof.core.tail.TailWorker;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.Workers;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/** Calls the constructors, from top to bottom. */
final class Wiring {
    private final RuntimeConfig config;
    private final Database database;
    private final HolderSampler sampler;
    private final LeaseStore leases = new LeaseStore();
    private final GateStore gates = new GateStore();
    private final TailStores tails = TailStores.standard();

    Wiring(RuntimeConfig config, DataSource dataSource) {
        this.config = config;
        this.database = new Database(dataSource, config.schema());
        this.sampler = new HolderSampler(database);
    }

    String instance() {
        return config.instance();
    }

    Database database() {
        return database;
    }

    List<String> register(TailSource source) {
        return database.inTx(tx -> tails.sources().register(tx, source, config.instance()));
    }

    Workers workers() {
        return new Workers(config.instance(), database, leases, config.loop());
    }

    JobWorker jobWorker(Collection<JobHandlerSpec> specs, Workers workers) {
        return new JobWorker(
                config.instance(),
                database,
                specs,
                config.loop().gateInterval(),
                () -> workers.wake(WakeUpLayer.JOB),
                () -> workers.wakeSoon(WakeUpLayer.JOB));
    }

    JobKeeper jobKeeper(Jobs jobs) {
        return new JobKeeper(
                database,
                new ScheduleFirer(database, jobs),
                new DeadLetterCheck(database, config.tail().overflowAt()));
    }

    StaleCheck staleCheck() {
        return new StaleCheck(database);
    }

    /** Refuses a run that could only wait; returns whether the scope is registered. */
    boolean demandFree(Worker worker) {
        return database.inTx(tx -> {
            worker.spec().gates().stream().sorted().forEach(gate -> gates.demandOpen(tx, gate));
            leases.owner(tx, worker.spec().scope()).ifPresent(owner -> {
                throw new OneRoofException(
                        ErrorCode.CONFLICT,
                        "worker: '%s' is running in '%s'"
                                .formatted(worker.spec().scope(), owner));
            });
            return leases.isKnown(tx, worker.spec().scope());
        });
    }

    /** Refuses a feature whose rows are not there: a gate that is missing would read as closed, and say nothing. */
    void demandSeeds(Feature feature) {
        List<String> missing = database.inTx(tx -> new SeedStore().missing(tx, feature.seeds()));
        if (!missing.isEmpty()) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "feature: '%s' needs rows that are not in the schema: %s; its migrations seed them"
                            .formatted(feature.name(), String.join(", ", missing)));
        }
    }

    FeatureContext featureContext(Jobs jobs) {
        return new FeatureContext() {
            @Override
            public String instance() {
                return config.instance();
            }

            @Override
            public Database database() {
                return database;
            }

            @Override
            public Jobs jobs() {
                return jobs;
            }

            @Override
            public Worker tail(TailSpec spec) {
                return tailWorker(spec);
            }
        };
    }

    TailWorker tailWorker(TailSpec spec) {
        return new TailWorker(database, tails, sampler, spec, config.tail());
    }
}
