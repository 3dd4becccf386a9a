package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.fault.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** One OneRoof over a trial's sources: what a process of its own is told by its command line, and what runs in it. */
record Instance(DatabaseAddress address, SchemaConfig schema, String trial, Duration lease, List<String> sources) {
    private static final Duration LINGER = Duration.ofMillis(30);

    JavaProcess startProcess(String name) {
        List<String> told = new ArrayList<>(List.of(name, trial, Long.toString(lease.toMillis())));
        told.addAll(sources);
        return Child.start(Instance.class, new BenchSite(address, schema), told);
    }

    public static void main(String[] arguments) throws IOException {
        Child child = Child.of(arguments);
        List<String> told = child.rest();
        Instance instance = new Instance(
                child.site().address(),
                child.site().schema(),
                told.get(1),
                Duration.ofMillis(Long.parseLong(told.get(2))),
                told.subList(3, told.size()));
        try (Running running = instance.start(told.getFirst())) {
            child.serve();
        }
    }

    /** Runs it here, with effects that take their time. */
    Running start(String name) {
        return start(name, LINGER);
    }

    /** Runs it here, as quick as it can be. */
    Running startAtOnce(String name) {
        return start(name, Duration.ZERO);
    }

    private Running start(String name, Duration linger) {
        HikariDataSource pool = Connections.pool(
                address,
                "trial",
                schema.roles().server(),
                2 * sources.size() + 3,
                lease.multipliedBy(2).dividedBy(3));
        OneRoof oneroof = OneRoof.open(
                RuntimeConfig.named(name).withSchema(schema.schema()).withLoop(loop()), pool);
        TrialTables tables = new TrialTables(trial);
        List<LongAdder> committed = new ArrayList<>();
        for (String source : sources) {
            LongAdder rows = new LongAdder();
            committed.add(rows);
            oneroof.tail(TailSpec.of(TrialTables.WORKER, source, new Lingering(tables.effect(source), linger, rows)));
        }
        oneroof.start();
        return new Running(oneroof, pool, committed);
    }

    private LoopConfig loop() {
        return new LoopConfig(lease, lease.dividedBy(4), Duration.ofMillis(200), Duration.ofSeconds(1));
    }

    record Running(OneRoof oneroof, HikariDataSource pool, List<LongAdder> committed) implements AutoCloseable {
        /** What the slowest of its tails has handled, told without a look at the database. */
        long handledByAll() {
            return committed.stream().mapToLong(LongAdder::sum).min().orElse(0);
        }

        @Override
        public void close() {
            oneroof.close();
            pool.close();
        }
    }

    static List<String> names(List<TailSource> sources) {
        return sources.stream().map(TailSource::name).toList();
    }
}
