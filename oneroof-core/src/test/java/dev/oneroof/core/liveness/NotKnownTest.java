package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where no barrier is sound, the state of a worker says what it does not know, and never that all is handled. */
@OneRoofTest
class NotKnownTest {
    private static final String BEHIND_THE_WINDOW =
            "rows may arrive behind the re-read window of 90 s; an audit or a replay finds them";

    @OnEveryServer
    void saysThatRowsMayArriveBehindTheWindow(TestDatabase database) {
        cursor(database, "at", "timestamptz");
        beat(database, "quiet", null);
        assertThat(health(database))
                .containsOnly("quiet | nothing to do; " + BEHIND_THE_WINDOW + " | " + BEHIND_THE_WINDOW);

        beat(database, "working", "processed 412 rows");
        assertThat(health(database))
                .containsOnly("working | processed 412 rows; " + BEHIND_THE_WINDOW + " | " + BEHIND_THE_WINDOW);

        beat(database, "held", "a gate");
        assertThat(health(database)).containsOnly("held | a gate | " + BEHIND_THE_WINDOW);

        database.run("UPDATE oneroof.tail_source SET order_contract = 'clock' WHERE source_name = 'customers'");
        beat(database, "quiet", null);
        assertThat(health(database)).containsOnly("quiet | nothing to do | -");
    }

    /** Registered before such a key was refused, or written into the table by hand. */
    @Test
    void isBehindWhereTheKeyIsNotMadeInOrder(TestDatabase database) {
        cursor(database, null, null);
        beat(database, "quiet", null);

        assertThat(health(database))
                .allSatisfy(line -> assertThat(line)
                        .startsWith("behind | new rows may get an id below those already read, and are lost then")
                        .contains("register it with a time column"));
        assertThat(database.list(
                        row -> row.getBoolean(1),
                        "SELECT h.since = s.created_at FROM oneroof.v_queue_health h, oneroof.tail_source s"
                                + " WHERE s.source_name = 'customers'"))
                .containsOnly(true);
    }

    /** Who may look at the pane may also ask the functions that it asks. */
    @Test
    void isSeenByAViewer(TestDatabase database) {
        cursor(database, "at", "timestamptz");
        try (var sql = database.sql()) {
            sql.run("SET ROLE oneroof_viewer");
            assertThat(sql.list(row -> row.getString(1), "SELECT not_known FROM oneroof.v_queue_health"))
                    .containsOnly(BEHIND_THE_WINDOW);
        }
    }

    private static void cursor(TestDatabase database, @Nullable String time, @Nullable String type) {
        database.run(
                "INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, ts_column, ts_type,"
                        + " id_column, id_type, order_contract, reread_window, registered_by)"
                        + " VALUES ('customers', 'public', 'customers', ?, ?, 'id', 'uuid', 'external', '90 s', 'x')",
                time,
                type);
        database.run("INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name) VALUES ('w', 'customers')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('w/customers/0', 'PG_worker')");
    }

    private static void beat(TestDatabase database, String doing, @Nullable String reason) {
        database.run(
                "UPDATE oneroof.queue_heartbeat SET last_beat_payload ="
                        + " jsonb_strip_nulls(jsonb_build_object('doing', ?::text, 'reason', ?::text))",
                doing,
                reason);
    }

    /** The line of the cursor and that of its worker. */
    private static List<String> health(TestDatabase database) {
        List<String> lines = database.list(
                row -> row.getString(1),
                "SELECT concat_ws(' | ', state, reason, coalesce(not_known, '-')) FROM oneroof.v_queue_health");
        assertThat(lines).hasSize(2);
        return lines;
    }
}
