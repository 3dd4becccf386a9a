package dev.oneroof.bench.latecommit;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.SetEffect;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The late-commit trial: writers that commit late in every way, one transaction open from beginning to end, and readers
 * held against what was really committed. Four tails must miss nothing and handle nothing twice; three readers as they are
 * often written must lose rows.
 */
public final class LateTrial {
    private static final Duration RUN_OUT = Duration.ofSeconds(60);
    private static final String NOTE = """
            INSERT INTO oneroof_late.handled (tail, mark, at)
            SELECT :tail, mark, clock_timestamp() FROM page ORDER BY page.order_ts, page.order_id
            """;

    private final DatabaseAddress address;
    private final SchemaConfig schema;
    private final LateConfig config;
    private final Commits commits = new Commits();

    public LateTrial(DatabaseAddress address, SchemaConfig schema, LateConfig config) {
        this.address = address;
        this.schema = schema;
        this.config = config;
    }

    /** Runs it in a schema of its own, which is dropped afterwards. OneRoof's schema must be there. */
    public BenchResult run() throws SQLException, InterruptedException {
        Database owner = new Database(Connections.plain(address, "late owner"), schema.schema());
        LateTables.create(owner, schema.roles().server());
        List<TailSource> sources = sources();
        try {
            List<Control> controls = runReaders(owner, sources);
            LateVerdict verdict = new LateVerdict(owner, commits.all());
            return BenchResult.of("late", settings(), verdict.figures(sources, controls));
        } finally {
            forget(owner, sources);
            LateTables.drop(owner);
        }
    }

    /** Their names are this run's alone, so that nothing of an earlier one is in the way. */
    private static List<TailSource> sources() {
        String run = UUID.randomUUID().toString().substring(0, 8);
        return List.of(
                LateTables.byClock("late-clock-prompt-" + run, Mode.PROMPT),
                LateTables.byClock("late-clock-strict-" + run, Mode.STRICT),
                LateTables.bySequence("late-sequence-prompt-" + run, Mode.PROMPT),
                LateTables.bySequence("late-sequence-strict-" + run, Mode.STRICT));
    }

    private List<Control> runReaders(Database owner, List<TailSource> sources)
            throws SQLException, InterruptedException {
        Waiting readersStop = new Waiting();
        List<Control> controls = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Control.Kind kind : Control.Kind.values()) {
            Control control = new Control(kind, Connections.plain(address, "late control"), readersStop);
            controls.add(control);
            threads.add(Thread.ofPlatform().name("late-control-" + kind).start(control));
        }
        try (HikariDataSource pool =
                        Connections.pool(address, "late", schema.roles().server(), 12);
                OneRoof oneroof = OneRoof.open(
                        RuntimeConfig.named("late-" + UUID.randomUUID()).withSchema(schema.schema()), pool)) {
            for (TailSource source : sources) {
                oneroof.database().useTx(tx -> new SourceStore().register(tx, source, "bench"));
                oneroof.tail(TailSpec.of(
                        "late_trial", source.name(), new SetEffect("mark", NOTE, Map.of("tail", source.name()))));
            }
            oneroof.start();
            write();
            awaitEverythingHandled(owner, sources.size());
        } finally {
            readersStop.stop();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        return controls;
    }

    /** All writers for the time of the trial, around them one transaction that stays open. */
    private void write() throws SQLException, InterruptedException {
        DataSource extended = Connections.plain(address, "late writer");
        var simple = Connections.plain(address, "late writer");
        simple.setPreferQueryMode(org.postgresql.jdbc.PreferQueryMode.SIMPLE);
        Waiting stop = new Waiting();
        SplittableRandom random = new SplittableRandom(config.seed());
        try (Connection open = extended.getConnection()) {
            open.setAutoCommit(false);
            // Takes its time now and its transaction number when it writes, at the very end.
            execute(open, "SELECT now()");
            List<Thread> writers = new ArrayList<>();
            for (int number = 0; number < config.writers(); number++) {
                LateWriter writer = new LateWriter(extended, simple, commits, stop, random.split(), number);
                writers.add(Thread.ofPlatform().name("late-writer-" + number).start(writer));
            }
            new Waiting().pause(config.length());
            stop.stop();
            for (Thread writer : writers) {
                writer.join();
            }
            long mark = commits.mark();
            execute(
                    open,
                    "INSERT INTO oneroof_late.by_clock (mark) VALUES (%1$d); INSERT INTO oneroof_late.by_sequence (mark) VALUES (%1$d)"
                            .formatted(mark));
            open.commit();
            commits.add(List.of(mark), new Commits.Commit(Instant.now(), false, false));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void awaitEverythingHandled(Database owner, int tails) {
        long end = System.nanoTime() + RUN_OUT.toNanos();
        long wanted = (long) commits.all().size() * tails;
        Waiting waiting = new Waiting();
        while (System.nanoTime() < end
                && owner.inTx(tx -> tx.query("SELECT count(*) FROM oneroof_late.handled")
                                .mapTo(Long.class)
                                .one())
                        < wanted) {
            waiting.pause(Duration.ofMillis(100));
        }
        // A little longer: what is handled twice comes after what is handled once.
        waiting.pause(Duration.ofSeconds(3));
    }

    private static void forget(Database owner, List<TailSource> sources) {
        for (TailSource source : sources) {
            owner.useTx(tx -> {
                for (String table : List.of("gov_worker_cursor", "tail_source")) {
                    tx.update("DELETE FROM oneroof.%s WHERE source_name = :source".formatted(table))
                            .bind("source", source.name())
                            .execute();
                }
                tx.update("DELETE FROM oneroof.queue_heartbeat WHERE executor_name = :executor")
                        .bind("executor", "late_trial/" + source.name() + "/0")
                        .execute();
            });
        }
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("seconds", config.length().toSeconds());
        settings.put("writers", config.writers());
        settings.put("seed", config.seed());
        settings.put("rows", commits.all().size());
        return settings;
    }
}
