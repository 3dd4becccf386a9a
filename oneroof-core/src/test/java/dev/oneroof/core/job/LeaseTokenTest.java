package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The token of a lease is its holder's alone, and a payload is the result of a lease. */
@OneRoofTest
class LeaseTokenTest {
    /** What a role may read, as one query per table and view: of the columns that it may read. */
    private static final String READABLE = """
            SELECT format('SELECT %s FROM %s', string_agg(quote_ident(a.attname), ', '), c.oid::regclass)
            FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
              AND (c.relnamespace = 'oneroof'::regnamespace
                   OR c.oid IN ('pg_stat_activity'::regclass, 'pg_stats'::regclass))
              AND has_schema_privilege(?, c.relnamespace, 'USAGE')
              AND has_column_privilege(?, c.oid, a.attnum, 'SELECT')
            GROUP BY c.oid
            """;

    private static final String RESULTS = """
            SELECT proname FROM pg_proc
            WHERE pronamespace = 'oneroof'::regnamespace AND has_function_privilege(?, oid, 'EXECUTE')
              AND (%s = ANY (proargnames) AND proargmodes IS NOT NULL
                   AND proargmodes[array_position(proargnames, %s)] IN ('t', 'o', 'b')
                   OR pg_get_function_result(oid) ~ 'job_(queue|history|dead_letter)')
            ORDER BY proname
            """;

    @OnEveryServer
    void isShownToNoViewerByAnyTableOrView(TestDatabase database) throws Exception {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            oneroof.work(JobKind.named("mark_file")).each(job -> {
                job.say("at it");
                started.countDown();
                end.await();
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.of(Map.of("ref", "file-4711"))));
            Await.patiently().until("it runs", () -> started.getCount() == 0);
            database.run("VACUUM ANALYZE oneroof.job_queue");
            String token = database.value(String.class, "SELECT lease_token::text FROM oneroof.job_queue");

            try {
                for (String role : List.of("oneroof_viewer", "workflow_admin", "dot_executor")) {
                    List<String> shown = shown(database, role);
                    assertThat(shown).as(role).noneMatch(row -> row.contains(token));
                    if (role.equals("dot_executor")) {
                        assertThat(shown).noneMatch(row -> row.contains("file-4711"));
                    } else {
                        assertThat(shown).as("what else there is").anyMatch(row -> row.contains("file-4711"));
                    }
                }
            } finally {
                end.countDown();
            }
        }
    }

    private static List<String> shown(TestDatabase database, String role) {
        List<String> queries = database.list(row -> row.getString(1), READABLE, role, role);
        List<String> shown = new ArrayList<>();
        try (Sql sql = database.sql()) {
            sql.run("SET ROLE " + role);
            for (String query : queries) {
                shown.addAll(sql.list(row -> row.getString(1), "SELECT r::text FROM (" + query + ") r"));
            }
            sql.run("RESET ROLE");
        }
        assertThat(queries).as(role + " reads").noneMatch(query -> query.contains("token"));
        return shown;
    }

    /** All others, each by its name: a column that is added is granted, too. */
    @OnEveryServer
    void leavesAllOtherColumnsOfAJobReadable(TestDatabase database) {
        for (String role : List.of("oneroof_viewer", "workflow_admin", "oneroof_server")) {
            assertThat(database.list(
                            row -> row.getString(1),
                            "SELECT attname FROM pg_attribute WHERE attrelid = 'oneroof.job_queue'::regclass AND attnum > 0"
                                    + " AND NOT attisdropped AND NOT has_column_privilege(?, attrelid, attnum, 'SELECT')",
                            role))
                    .as(role)
                    .containsExactly("lease_token");
        }
        try (Sql sql = database.sql()) {
            sql.run("SET ROLE oneroof_viewer");
            assertThatThrownBy(() -> sql.run("SELECT lease_token FROM oneroof.job_queue"))
                    .hasMessageContaining("42501");
            sql.run("SELECT count(*) FROM oneroof.job_queue");
            sql.run("SELECT * FROM oneroof.v_job");
            sql.run("RESET ROLE");
        }
    }

    @OnEveryServer
    void isReturnedByTheFunctionsOfItsHolderAlone(TestDatabase database) {
        String tokens = RESULTS.formatted("'lease_token'", "'lease_token'");
        String payloads = RESULTS.formatted("'payload'", "'payload'");
        for (String role : List.of("oneroof_viewer", "workflow_admin")) {
            assertThat(database.list(row -> row.getString(1), tokens, role))
                    .as(role)
                    .isEmpty();
        }
        assertThat(database.list(row -> row.getString(1), tokens, "dot_executor"))
                .containsExactly("fn_job_extend", "fn_job_lease");
        assertThat(database.list(row -> row.getString(1), payloads, "dot_executor"))
                .containsExactly("fn_job_lease");
        assertThat(database.list(row -> row.getString(1), payloads, "oneroof_viewer"))
                .isEmpty();
    }
}
