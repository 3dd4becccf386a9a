package dev.oneroof.core.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.tail.DeadLetters;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** All gates there are, opened and closed in every combination while everything runs: each has its own effect alone. */
@OneRoofTest
class MasterGatesTest {
    private static final String SWEEP = "governance.gov_backfill_sweep.enabled";
    private static final List<String> GATES = List.of(Gates.HEARTBEAT, Gates.WAKE_UPS, Gates.REPLAY, Gates.JOBS, SWEEP);

    private static final LoopConfig QUICK = new LoopConfig(
            Duration.ofSeconds(5), Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofSeconds(1));

    private final AtomicInteger handled = new AtomicInteger();

    @Test
    void acceptanceOfPhase2AllMasterGatesAreControllableAloneAndTogglingOneDoesNotAffectTheOthers(TestDatabase database)
            throws SQLException {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        database.run("CREATE TABLE public.parcel (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('someone', 'DOT')");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_event_type_register('iu', 'ping', 'event', 'normal', 'info', 'a test', 'ann')");
        database.run("SELECT oneroof.fn_event_type_activate('iu', 'ping', 'ann', 'a test')");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                Connection listener = database.connect()) {
            oneroof.register(TailSource.of("parcels", "public", "parcel", "id", IdType.BIGINT)
                    .polledEvery(Duration.ofMillis(20)));
            oneroof.tail("gated", "parcels").gatedBy(SWEEP).eachRow((tx, row) -> handled.incrementAndGet());
            oneroof.start();
            listen(listener);
            for (int combination = 0; combination < 1 << GATES.size(); combination++) {
                set(db, combination);
                database.run("INSERT INTO public.parcel DEFAULT VALUES");
                String opened = "open: %s".formatted(opened(combination));

                assertThat(ticks(database)).as(opened).isEqualTo(isOpen(combination, 0));
                assertTellsOfSilence(database, isOpen(combination, 0), opened);
                assertThat(wakes(listener)).as(opened).isEqualTo(isOpen(combination, 1));
                assertThat(replays(db)).as(opened).isEqualTo(isOpen(combination, 2));
                assertThat(leases(database)).as(opened).isEqualTo(isOpen(combination, 3));
                assertWorks(database, isOpen(combination, 4), opened);
            }
        }
    }

    @Test
    void failClosedWhereTheyAreMissingUnreadableOrOver(TestDatabase database) {
        String open = "SELECT oneroof.fn_gate_open('%s')".formatted(SWEEP);
        for (String change : List.of("value = 'false'", "expires_at = now()")) {
            try (Sql sql = database.sql()) {
                sql.run("BEGIN");
                sql.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = '%s'".formatted(SWEEP));
                assertThat(sql.value(Boolean.class, open)).isTrue();
                sql.run("UPDATE oneroof.dot_config SET %s WHERE key = '%s'".formatted(change, SWEEP));
                assertThat(sql.value(Boolean.class, open)).as(change).isFalse();
                sql.run("ROLLBACK");
            }
        }
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open('no.such')"))
                .isFalse();
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open(NULL)"))
                .isFalse();
    }

    private static boolean isOpen(int combination, int gate) {
        return (combination >> gate & 1) == 1;
    }

    private static List<String> opened(int combination) {
        return GATES.stream()
                .filter(gate -> isOpen(combination, GATES.indexOf(gate)))
                .toList();
    }

    private static void set(Database db, int combination) {
        GateStore gates = new GateStore();
        db.useTx(tx -> GATES.forEach(gate -> {
            if (isOpen(combination, GATES.indexOf(gate))) {
                gates.open(tx, gate, "ann", "a test");
            } else {
                gates.close(tx, gate, "ann", "a test");
            }
        }));
    }

    private static boolean ticks(TestDatabase database) {
        return database.value(
                Boolean.class,
                "SELECT (oneroof.fn_queue_heartbeat_tick('someone', 'DOT', p_payload =>"
                        + " jsonb_build_object('doing', gen_random_uuid()))->>'written')::boolean");
    }

    /** One that has stopped: its state, its finding, its event, and their end. */
    private static void assertTellsOfSilence(TestDatabase database, boolean tells, String opened) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('stopped', 'DOT', '{}', 10, 30)");
        try (Sql sql = database.sql()) {
            sql.run("SET session_replication_role = replica");
            sql.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '1 hour'"
                    + " WHERE executor_name = 'stopped'");
        }
        // The instance looks as well, and where it is just looking this look is none.
        Await.patiently()
                .until(
                        opened,
                        () -> !"another check is under way"
                                .equals(database.value(
                                        String.class,
                                        "SELECT coalesce(oneroof.fn_queue_stale_check() ->> 'reason', 'looked')")));
        assertThat(silence(database)).as(opened).isEqualTo(tells ? "dead 1 1" : "unwatched 0 0");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('stopped', 'DOT')");
        assertThat(silence(database)).as(opened).isEqualTo(tells ? "quiet 0 1" : "unwatched 0 0");
        database.run("SELECT oneroof.fn_queue_heartbeat_deregister('stopped')");
        database.run("DELETE FROM oneroof.event_outbox WHERE event_subject_ref = 'stopped'");
    }

    private static String silence(TestDatabase database) {
        return database.value(
                String.class,
                "SELECT h.state || ' ' || (SELECT count(*) FROM oneroof.system_issues"
                        + " WHERE issue_type = 'cursor_silent_gap' AND coalesce_key = 'stopped' AND status = 'open')"
                        + " || ' ' || (SELECT count(*) FROM oneroof.event_outbox WHERE event_subject_ref = 'stopped')"
                        + " FROM oneroof.v_queue_health h WHERE h.executor_name = 'stopped'");
    }

    private static void listen(Connection listener) throws SQLException {
        try (Statement statement = listener.createStatement()) {
            statement.execute("LISTEN queue_wake_iu");
        }
    }

    /** What was sent before has come by the time that something sent later has. */
    private static boolean wakes(Connection listener) throws SQLException {
        try (Statement statement = listener.createStatement()) {
            statement.execute("SELECT pg_sleep(0.01)");
            statement.execute("SELECT oneroof.fn_iu_emit_event('iu', 'ping', 't', '1', 'ann', 'test')");
        }
        PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications();
        return heard != null && heard.length > 0;
    }

    private static boolean leases(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        return !database.list(
                        row -> row.getString(1),
                        "SELECT job_id FROM oneroof.fn_job_lease(ARRAY['mark_file'], 100, 'me')")
                .isEmpty();
    }

    private static boolean replays(Database db) {
        try {
            new DeadLetters(db).replayAll("parcels", new OperatorAct("ann", "a test"));
            return true;
        } catch (OneRoofException e) {
            assertThat(e).hasMessageContaining("queue.replay.enabled");
            return false;
        }
    }

    private void assertWorks(TestDatabase database, boolean works, String opened) {
        if (works) {
            Await.patiently()
                    .until(
                            opened,
                            () -> handled.get()
                                    == database.value(Integer.class, "SELECT count(*)::int FROM public.parcel"));
        } else {
            int before = handled.get();
            Await.pause(Duration.ofMillis(250));
            assertThat(handled.get()).as(opened).isLessThanOrEqualTo(before);
        }
    }
}
