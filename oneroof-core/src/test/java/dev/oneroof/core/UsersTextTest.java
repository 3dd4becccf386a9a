package dev.oneroof.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.outbox.Event;
import dev.oneroof.core.outbox.EventType;
import dev.oneroof.core.outbox.Origin;
import dev.oneroof.core.outbox.Outbox;
import dev.oneroof.core.outbox.Subject;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * OneRoof lives in the schema r2. What users write goes to the server byte for byte, also where it holds the default name
 * of OneRoof's schema. Beside it the database has a schema that is called oneroof: another installation, and tables of the
 * user.
 */
@OneRoofTest
class UsersTextTest {
    private static final SchemaName R2 = new SchemaName("r2");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Event EVENT = Event.of(
            new EventType("system", "queue_worker_silent"),
            Subject.of("queue_heartbeat", "from_r2"),
            new Origin("test", "r2"));

    /** Every way in which SQL can hold the name, and what the server was sent. */
    private static final String SAYING = """
            INSERT INTO public.said (text, at_server)
            SELECT 'oneroof.event_bridge' || $a$ oneroof.job_queue $a$ || $$ oneroof.v_x $$ || E' \\'oneroof.fn_x\\' '
                       || "oneroof.queue_x"::text, -- oneroof.tail_source
                   (SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()) /* oneroof.gov_x /* oneroof.v_y */ */
            FROM oneroof.gov_orders LIMIT 1""";

    private static final TailSource ORDERS = TailSource.of("orders", "oneroof", "gov_orders", "id", IdType.BIGINT)
            .timedBy("at", TimeType.TIMESTAMPTZ)
            .inBatchesOf(3)
            .polledEvery(Duration.ofMillis(20));

    private TestDatabase database;

    @BeforeEach
    void installsASecondOneRoof(TestDatabase given) throws Exception {
        database = given;
        SchemaConfig config = new SchemaConfig(R2, new RoleNames(database.name() + "_"));
        new Migrator(database.dataSource(), config).migrate();
        database.run("CREATE TABLE oneroof.gov_orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " at timestamptz DEFAULT now(), source_system text, \"oneroof.queue_x\" integer DEFAULT 7)");
        database.run("CREATE INDEX ON oneroof.gov_orders (at, id)");
        database.run("CREATE TABLE oneroof.event_copy (id bigint, by text)");
        database.run("CREATE TABLE public.said (text text, at_server text)");
        database.run("INSERT INTO oneroof.gov_orders (source_system) SELECT 'oneroof.event_bridge'"
                + " FROM generate_series(1, 7)");
        database.run(
                "INSERT INTO oneroof.gov_orders (source_system) VALUES ('r2.event_bridge'), ('\"r2\".event_bridge')");
    }

    @Test
    void losesNoRowToAFilterThatHoldsTheSchemasName() {
        database.run("CREATE TABLE public.orders AS SELECT id, at, source_system FROM oneroof.gov_orders");
        database.run("ALTER TABLE public.orders ADD PRIMARY KEY (id), ALTER at SET DEFAULT now()");
        database.run("CREATE TABLE public.copy (id bigint)");
        try (OneRoof oneroof = open()) {
            oneroof.register(TailSource.of("orders", "public", "orders", "id", IdType.BIGINT)
                    .timedBy("at", TimeType.TIMESTAMPTZ)
                    .where("source_system = 'oneroof.event_bridge'"));
            oneroof.runOnce(
                    TailSpec.draft("by_sql", "orders").bySql("INSERT INTO public.copy SELECT order_id FROM page"),
                    PATIENCE);
        }

        assertThat(database.value(Long.class, "SELECT count(DISTINCT id) FROM public.copy"))
                .isEqualTo(7);
    }

    @Test
    void handlesTheRowsOfAFilterThatHoldsTheSchemasName() {
        try (OneRoof oneroof = open()) {
            oneroof.register(ORDERS.where("source_system = 'oneroof.event_bridge' AND \"oneroof.queue_x\" = 7"));

            TailSpec byRow = TailSpec.draft("by_row", "orders")
                    .reading("oneroof.queue_x")
                    .eachRow((tx, row) -> tx.update("INSERT INTO oneroof.event_copy VALUES (:id, 'row' || :x)")
                            .bind("id", row.number("id"))
                            .bind("x", row.number("oneroof.queue_x"))
                            .execute());
            TailSpec bySql = TailSpec.draft("by_sql", "orders")
                    .bySql("INSERT INTO oneroof.event_copy SELECT order_id, 'sql ' || 'oneroof.job_queue' FROM page");
            oneroof.runOnce(byRow, PATIENCE);
            oneroof.runOnce(bySql, PATIENCE);
        }

        assertThat(copied()).containsExactly("row7 7", "sql oneroof.job_queue 7");
    }

    @Test
    void triesARowAgainThatTheFilterLetThrough() {
        AtomicInteger failures = new AtomicInteger();
        try (OneRoof oneroof = open()) {
            oneroof.register(ORDERS.where("source_system = 'oneroof.event_bridge'"));
            oneroof.tail("fails_twice", "orders").eachRow((tx, row) -> {
                if (row.number("id") == 4 && failures.incrementAndGet() < 4) {
                    throw new IllegalStateException("not yet");
                }
                tx.update("INSERT INTO oneroof.event_copy VALUES (:id, 'oneroof.job_queue')")
                        .bind("id", row.number("id"))
                        .execute();
            });
            oneroof.start();

            Await.patiently().until("seven copies", () -> copied().equals(List.of("oneroof.job_queue 7")));
        }
    }

    @Test
    void handlesRowsWithoutATimeThatTheFilterLetsThrough() {
        database.run("UPDATE oneroof.gov_orders SET at = NULL");
        try (OneRoof oneroof = open()) {
            oneroof.register(ORDERS.where("source_system = 'oneroof.event_bridge'"));
            oneroof.tail("untimed", "orders")
                    .bySql("INSERT INTO oneroof.event_copy SELECT order_id, 'oneroof.job_queue' FROM page")
                    .start();

            Await.patiently().until("seven copies", () -> copied().equals(List.of("oneroof.job_queue 7")));
        }
    }

    @Test
    void sendsTheStatementsOfHandlersAsTheyAreWritten() {
        openJobs();
        try (OneRoof oneroof = open()) {
            oneroof.register(ORDERS.inBatchesOf(100));
            oneroof.runOnce(
                    TailSpec.draft("by_batch", "orders")
                            .inBatches((tx, rows) -> tx.update(SAYING).execute()),
                    PATIENCE);
            oneroof.runOnce(
                    TailSpec.draft("by_plain", "orders").inBatches((tx, rows) -> tx.plain(SAYING, s -> s.execute())),
                    PATIENCE);
            oneroof.work(JobKind.named("say")).eachInTx((tx, job) -> {
                tx.update(SAYING).execute();
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("say", Payload.EMPTY));

            Await.patiently().until("three to say it", () -> said().size() == 3);
        }
        assertThat(said())
                .containsOnly("oneroof.event_bridge oneroof.job_queue  oneroof.v_x  'oneroof.fn_x' 7|" + SAYING);
    }

    @Test
    void writesIntoAnotherInstallationByNameAndIntoItsOwnThroughItsStores() {
        openJobs();
        try (OneRoof oneroof = open()) {
            oneroof.register(ORDERS.where("source_system = 'r2.event_bridge'"));
            oneroof.work(JobKind.named("count")).eachInTx((tx, job) -> {
                oneroof.jobs().enqueue(tx, NewJob.of("later", Payload.EMPTY));
                return Outcome.done();
            });
            oneroof.jobs().register(JobKind.named("later"), "test");
            oneroof.tail("forwards", "orders").eachRow((tx, row) -> {
                tx.query("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'by_name', 'a', 's')")
                        .mapTo(String.class)
                        .one();
                new Outbox().emit(tx, EVENT);
                oneroof.jobs().enqueue(tx, NewJob.of("count", Payload.EMPTY));
            });
            oneroof.start();

            Await.patiently()
                    .until(
                            "the job of a job",
                            () -> database.value(
                                            Long.class, "SELECT count(*) FROM r2.job_queue WHERE job_kind = 'later'")
                                    == 1);
        }
        assertThat(events("oneroof")).containsExactly("by_name");
        assertThat(events("r2")).containsExactly("from_r2");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
    }

    @Test
    void ordersByACollationOfTheUsers() {
        database.run("CREATE COLLATION oneroof.job_order FROM \"C\"");
        database.run("CREATE TABLE public.coded (code text COLLATE oneroof.job_order PRIMARY KEY,"
                + " at timestamptz NOT NULL DEFAULT now())");
        database.run("CREATE INDEX ON public.coded (at, code)");
        database.run("INSERT INTO public.coded SELECT 'c' || n FROM generate_series(1, 9) n");
        try (OneRoof oneroof = open()) {
            oneroof.register(TailSource.of("coded", "public", "coded", "code", IdType.TEXT)
                    .timedBy("at", TimeType.TIMESTAMPTZ)
                    .inBatchesOf(3));
            oneroof.runOnce(
                    TailSpec.draft("by_sql", "coded")
                            .bySql("INSERT INTO oneroof.event_copy (by) SELECT order_id FROM page"),
                    PATIENCE);
        }

        assertThat(database.value(Long.class, "SELECT count(DISTINCT by) FROM oneroof.event_copy"))
                .isEqualTo(9);
    }

    @Test
    void sharesATransactionOfTheProgram() {
        try (OneRoof oneroof = open()) {
            oneroof.jobs().register(JobKind.named("later"), "test");
            oneroof.useTx(tx -> {
                tx.update(SAYING).execute();
                oneroof.jobs().enqueue(tx, NewJob.of("later", Payload.EMPTY));
                new GateStore().open(tx.own(), Gates.JOBS, "test", "a test");
            });
            int rolledBack = oneroof.inTx(tx -> {
                oneroof.jobs().enqueueAll(tx, List.of(NewJob.of("later", Payload.EMPTY)));
                tx.abandon();
                return tx.update(SAYING).execute();
            });
            assertThat(rolledBack).isEqualTo(1);
        }
        assertThat(said()).hasSize(1);
        assertThat(database.value(Long.class, "SELECT count(*) FROM r2.job_queue"))
                .isEqualTo(1);
        assertThat(database.value(String.class, "SELECT value FROM r2.dot_config WHERE key = 'queue.jobs.enabled'"))
                .isEqualTo("true");
    }

    private void openJobs() {
        try (OneRoof oneroof = open()) {
            oneroof.database().useTx(tx -> new GateStore().open(tx, Gates.JOBS, "test", "a test"));
        }
    }

    private OneRoof open() {
        return OneRoof.open(RuntimeConfig.named("test").withSchema(R2), database.dataSource());
    }

    /** What was written, each with how many different rows. */
    private List<String> copied() {
        return database.list(
                row -> row.getString(1),
                "SELECT by || ' ' || count(*) FROM oneroof.event_copy GROUP BY by"
                        + " HAVING count(*) = count(DISTINCT id) ORDER BY 1");
    }

    private List<String> said() {
        return database.list(
                row -> row.getString(1) + "|" + row.getString(2), "SELECT text, at_server FROM public.said");
    }

    private List<String> events(String schema) {
        List<String> refs = database.list(
                row -> row.getString(1),
                "SELECT event_subject_ref FROM " + schema
                        + ".event_outbox WHERE event_subject_ref IN ('by_name', 'from_r2')");
        Collections.sort(refs);
        return refs;
    }
}
