package dev.oneroof.testkit.check;

import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The invariants asked after a test: those of OneRoof's schema, and those the test adds. A test may take it as a
 * parameter to add some; they hold for that test alone.
 */
public final class Invariants {
    /** What must hold in OneRoof's own tables at any moment, and is more than a constraint can say. */
    private static final List<Invariant> ONEROOF = List.of(
            new Invariant("no_two_leases_share_an_epoch", "oneroof.queue_heartbeat", """
                    SELECT lease_epoch, array_agg(executor_name) AS scopes
                    FROM oneroof.queue_heartbeat
                    WHERE lease_epoch IS NOT NULL
                    GROUP BY lease_epoch
                    HAVING count(*) > 1
                    """),
            new Invariant("every_epoch_was_drawn", "oneroof.queue_heartbeat", """
                    SELECT h.executor_name, h.lease_epoch, s.last_value
                    FROM oneroof.queue_heartbeat h
                    CROSS JOIN oneroof.lease_epoch_seq s
                    WHERE h.lease_epoch > s.last_value
                    """),
            new Invariant("every_setting_is_as_its_trail_says", "oneroof.dot_config", """
                    SELECT c.key, c.value, last.new_value
                    FROM oneroof.dot_config c
                    LEFT JOIN LATERAL (
                        SELECT a.new_value
                        FROM oneroof.dot_config_audit a
                        WHERE a.key = c.key
                        ORDER BY a.audit_id DESC
                        LIMIT 1) last ON true
                    WHERE last.new_value IS DISTINCT FROM c.value
                    """),
            new Invariant("cursor_that_moved_has_seen_rows", "oneroof.gov_worker_cursor", """
                    SELECT worker_name, source_name, last_watermark_id, events_seen
                    FROM oneroof.gov_worker_cursor
                    WHERE last_watermark_id IS NOT NULL AND events_seen = 0
                    """));

    private final List<Invariant> invariants = new CopyOnWriteArrayList<>(ONEROOF);

    /** Adds one for the running test. */
    public Invariants add(Invariant invariant) {
        invariants.add(invariant);
        return this;
    }

    /** The invariants that do not hold, each with a few of the rows that break it. */
    public List<Leftover> brokenIn(TestDatabase database) {
        return database.inspect(sql -> {
            List<Leftover> broken = new ArrayList<>();
            for (Invariant invariant : invariants) {
                if (exists(sql, invariant.table())) {
                    List<String> rows = counterexamples(sql, invariant);
                    if (!rows.isEmpty()) {
                        broken.add(new Leftover(Leftover.Kind.INVARIANT, invariant.name() + ": " + rows));
                    }
                }
            }
            return broken;
        });
    }

    private static boolean exists(Sql sql, String table) {
        return sql.value(Boolean.class, "SELECT to_regclass(?) IS NOT NULL", table);
    }

    private static List<String> counterexamples(Sql sql, Invariant invariant) {
        return sql.list(
                row -> row.getString(1),
                "SELECT row_to_json(broken)::text FROM (" + invariant.query() + ") AS broken LIMIT 3");
    }
}
