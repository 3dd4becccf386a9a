package dev.oneroof.core;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.job.JobWork;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.worker.DeadLetterCheck;
import dev.oneroof.core.job.worker.JobKeeper;
import dev.oneroof.core.job.worker.JobWorker;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.liveness.StaleCheck;
import dev.oneroof.core.schedule.Firing;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.TailStores;
import dev.oneroof.core.tail.TailWorker;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.WakeUpLayer;
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

    JobWorker jobWorker(Collection<JobWork> works, Workers workers) {
        return new JobWorker(
                config.instance(),
                database,
                works,
                config.loop().gateInterval(),
                () -> workers.wake(WakeUpLayer.JOB),
                () -> workers.wakeSoon(WakeUpLayer.JOB));
    }

    JobKeeper jobKeeper(Jobs jobs) {
        return new JobKeeper(
                database,
                new Firing(database, jobs),
                new DeadLetterCheck(database, config.tail().overflowAt()));
    }

    StaleCheck staleCheck() {
        return new StaleCheck(database);
    }

    /** Refuses a run that could only wait; returns whether the scope is registered. */
    boolean demandFree(TailSpec spec) {
        return database.inTx(tx -> {
            spec.gates().stream().sorted().forEach(gate -> gates.demandOpen(tx, gate));
            leases.owner(tx, spec.scope()).ifPresent(owner -> {
                throw new OneRoofException(
                        ErrorCode.CONFLICT, "worker: '%s' is running in '%s'".formatted(spec.scope(), owner));
            });
            return leases.isKnown(tx, spec.scope());
        });
    }

    TailWorker tailWorker(TailSpec spec) {
        return new TailWorker(database, tails, sampler, spec, config.tail());
    }
}
