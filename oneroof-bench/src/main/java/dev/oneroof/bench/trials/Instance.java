package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tabletail.TailSource;
import dev.oneroof.core.tabletail.TailSpec;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.fault.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * One OneRoof over a trial's sources: what a process of its own is told by its command line, and what runs in it. It ends when
 * its input does, so that nothing outlives a trial that was killed itself.
 */
record Instance(DatabaseAddress address, SchemaConfig schema, String trial, Duration lease, List<String> sources) {
    static final String READY = "ready";
    private static final String PASSWORD = "TRIAL_PASSWORD";
    private static final String NOBODY = "-";
    private static final Duration LINGER = Duration.ofMillis(30);

    JavaProcess startProcess(String name) {
        String user = address.user();
        String password = address.password();
        JavaProcess.Launch launch = JavaProcess.of(Instance.class)
                .jvmOptions("-Xmx96m")
                .arguments(
                        name,
                        address.jdbcUrl(),
                        user == null ? NOBODY : user,
                        schema.schema().value(),
                        // An empty argument is lost on some systems.
                        NOBODY + schema.roles().prefix(),
                        trial,
                        Long.toString(lease.toMillis()))
                .arguments(sources.toArray(String[]::new));
        if (password != null) {
            launch.environment(PASSWORD, password);
        }
        return launch.start();
    }

    public static void main(String[] arguments) throws IOException {
        List<String> given = List.of(arguments);
        DatabaseAddress address = DatabaseAddress.parse("address", given.get(1));
        if (!given.get(2).equals(NOBODY)) {
            address = address.withUser(given.get(2));
        }
        String password = System.getenv(PASSWORD);
        if (password != null) {
            address = address.withPassword(password);
        }
        SchemaConfig schema = new SchemaConfig(
                new SchemaName(given.get(3)), new RoleNames(given.get(4).substring(NOBODY.length())));
        Instance instance = new Instance(
                address,
                schema,
                given.get(5),
                Duration.ofMillis(Long.parseLong(given.get(6))),
                given.subList(7, given.size()));
        try (Running running = instance.start(given.getFirst())) {
            System.out.println(READY);
            while (System.in.read() >= 0) {
                // Nothing is said on it; its end is the end.
            }
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
