package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators hear of jobs that were given up. */
@OneRoofTest
class DeadLetterCheckTest {
    private static final String CHECK = "SELECT oneroof.fn_job_dead_letter_check(%d)::text";

    private TestDatabase database;

    @BeforeEach
    void begin(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true'"
                + " WHERE key IN ('queue.jobs.enabled', 'queue.replay.enabled')");
        database.run("SELECT oneroof.fn_job_kind_register(k) FROM unnest('{mark_file,cut_file,idle}'::text[]) k");
    }

    /** Not for each of them, either: those behind would wait for all. */
    @Test
    void whoHoldsFindingsKeepsNoOtherFromBeingRaised() {
        database.run("SELECT oneroof.fn_job_kind_register('held' || n) FROM generate_series(1, 10) n");
        for (int n = 1; n <= 10; n++) {
            giveUp("held" + n, 1, "file 1 is gone");
        }
        check(100);
        for (int n = 1; n <= 10; n++) {
            giveUp("held" + n, 2, "file 2 is gone");
        }
        giveUp("mark_file", 1, "file 3 is gone");
        DeadLetterCheck chore = new DeadLetterCheck(new Database(database.dataSource(), SchemaName.DEFAULT), 100);
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            operator.run("SET LOCAL idle_in_transaction_session_timeout = '20s'");
            operator.run("SELECT FROM oneroof.system_issues FOR UPDATE");
            long began = System.nanoTime();
            chore.run();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(1500));
            assertThat(findings()).hasSize(11).contains("cursor_dlq jobs/mark_file 1 medium");
            assertThat(strings("SELECT count(*) FROM oneroof.job_dead_letter_news"))
                    .as("what was not reported is reported later")
                    .containsExactly("20");
            assertThat(check(100)).contains("\"locked\": 10");
            operator.run("ROLLBACK");
        }
        check(100);
        assertThat(findings()).contains("cursor_dlq jobs/held1 3 medium", "cursor_dlq jobs/held10 3 medium");
        assertThat(strings("SELECT count(*) FROM oneroof.job_dead_letter_news")).containsExactly("0");
    }

    @Test
    void tellsOfSomebodyWhoKeepsItFromLooking() {
        AtomicLong nanos = new AtomicLong();
        DeadLetterCheck chore =
                new DeadLetterCheck(new Database(database.dataSource(), SchemaName.DEFAULT), 100, nanos::get);
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run("SET LOCAL idle_in_transaction_session_timeout = '20s'");
            other.run("SELECT oneroof.fn_job_dead_letter_check()");
            for (int seconds = 0; seconds <= 60; seconds += 5) {
                assertThat(chore.isHeldUp()).as("after %d s", seconds).isFalse();
                chore.run();
                nanos.addAndGet(Duration.ofSeconds(5).toNanos());
            }
            chore.run();
            assertThat(chore.isHeldUp()).isTrue();
            other.run("ROLLBACK");
        }
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        chore.run();
        assertThat(chore.isHeldUp()).isFalse();
    }

    /** What is too many is the instances' to say. */
    @Test
    void withoutAThresholdLeavesItToOthersWhatIsTooMany() {
        String unbound = "SELECT oneroof.fn_job_dead_letter_check()::text";
        giveUp("mark_file", 150, "file 1 is gone");
        database.run(unbound);
        assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 150 high");
        check(200);
        database.run(unbound);
        assertThat(findings()).as("200 are not too many").hasSize(1);

        check(10);
        close("mark_file", 100);
        database.run(unbound);
        assertThat(findings())
                .as("50 are too many, where that is more than ten")
                .containsExactly("cursor_dlq jobs/mark_file 150 high", "cursor_dlq_overflow jobs/mark_file 91 high");
        close("mark_file", 50);
        database.run(unbound);
        assertThat(findings()).as("none is never too many").isEmpty();
    }

    @Test
    void raisesAFindingOfEachKindCountsWhatComesAndEndsItWithTheLastLetter() {
        giveUp("mark_file", 2, "file 1 is gone");
        giveUp("mark_file", 1, "the disk is full");
        giveUp("cut_file", 1, "file 1 is gone");

        assertThat(check(100)).isEqualTo("{\"ended\": 0, \"inert\": false, \"locked\": 0, \"raised\": 2}");
        assertThat(findings())
                .containsExactly("cursor_dlq jobs/cut_file 1 medium", "cursor_dlq jobs/mark_file 3 medium");
        assertThat(strings("SELECT evidence::text FROM oneroof.system_issues WHERE coalesce_key = 'jobs/mark_file'"))
                .as("references to the newest, and no contents")
                .isEqualTo(strings("SELECT jsonb_build_object('job_kind', job_kind, 'fingerprint', fingerprint,"
                        + " 'dead_letter_id', dead_letter_id, 'open_dead_letters', '3')::text"
                        + " FROM oneroof.job_dead_letter WHERE last_error = 'the disk is full'"));
        assertThat(strings("SELECT summary FROM oneroof.system_issues ORDER BY coalesce_key"))
                .containsExactly(
                        "1 job of 'cut_file' was given up; see: oneroof dlq groups --kind cut_file",
                        "3 jobs of 'mark_file' were given up; see: oneroof dlq groups --kind mark_file");

        assertThat(check(100))
                .as("nothing came")
                .isEqualTo("{\"ended\": 0, \"inert\": false, \"locked\": 0, \"raised\": 0}");
        giveUp("mark_file", 2, "file 2 is gone");
        check(100);
        assertThat(findings())
                .containsExactly("cursor_dlq jobs/cut_file 1 medium", "cursor_dlq jobs/mark_file 5 medium");

        close("mark_file", 4);
        check(100);
        assertThat(findings()).as("one is left").hasSize(2);
        database.run("SELECT oneroof.fn_job_dead_letter_triage(dead_letter_id, 'manual_replay', 'again', 'ann')"
                + " FROM oneroof.job_dead_letter WHERE resolved_at IS NULL AND job_kind = 'mark_file'");
        database.run("SELECT oneroof.fn_job_dead_letter_replay(dead_letter_id, 'ticket', 'ann')"
                + " FROM oneroof.job_dead_letter WHERE resolved_at IS NULL AND job_kind = 'mark_file'");
        assertThat(check(100)).isEqualTo("{\"ended\": 1, \"inert\": false, \"locked\": 0, \"raised\": 0}");
        assertThat(findings()).containsExactly("cursor_dlq jobs/cut_file 1 medium");

        database.run("DELETE FROM oneroof.job_queue");
        giveUp("mark_file", 1, "file 3 is gone");
        check(100);
        assertThat(findings())
                .as("another one")
                .containsExactly("cursor_dlq jobs/cut_file 1 medium", "cursor_dlq jobs/mark_file 1 medium");
    }

    @Test
    void growsWithTheirNumberAndEndsWhatIsOver() {
        giveUp("mark_file", 3, "file 1 is gone");
        check(3);
        assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 3 medium");
        giveUp("mark_file", 2, "file 1 is gone");
        check(3);
        assertThat(findings())
                .containsExactly("cursor_dlq jobs/mark_file 5 medium", "cursor_dlq_overflow jobs/mark_file 2 high");
        giveUp("mark_file", 98, "file 1 is gone");
        check(3);
        assertThat(findings())
                .containsExactly("cursor_dlq jobs/mark_file 103 high", "cursor_dlq_overflow jobs/mark_file 100 high");
        assertThat(strings("SELECT evidence ->> 'open_dead_letters' FROM oneroof.system_issues"))
                .containsOnly("over 30");

        close("mark_file", 100);
        check(3);
        assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 103 high");

        giveUp("cut_file", 1200, "file 1 is gone");
        check(100);
        assertThat(findings())
                .as("many at once are worse at once")
                .contains("cursor_dlq jobs/cut_file 1200 high", "cursor_dlq_overflow jobs/cut_file 1200 critical");
    }

    /** Also that of a transaction that took its id early and commits late, when later ones were counted already. */
    @Test
    void countsEachLetterOnceAndNobodyWaitsForIt() {
        try (Sql early = database.sql();
                Sql looking = database.sql();
                Sql third = database.sql()) {
            List.of(early, looking, third).forEach(sql -> sql.run("SET lock_timeout = '2s'"));
            early.run("BEGIN");
            giveUp(early, "mark_file", 2, "file 1 is gone");
            giveUp(third, "mark_file", 3, "file 2 is gone");
            assertThat(looking.value(String.class, CHECK.formatted(100))).contains("\"raised\": 1");
            assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 3 medium");

            giveUp(third, "mark_file", 1, "file 3 is gone");
            looking.run("BEGIN");
            assertThat(looking.value(String.class, CHECK.formatted(100))).contains("\"raised\": 1");
            // While its finding is locked: whoever gives up more of the kind goes on, and another look leaves it at
            // that.
            giveUp(third, "mark_file", 4, "file 4 is gone");
            early.run("COMMIT");
            assertThat(third.value(String.class, CHECK.formatted(100))).contains("another check is under way");
            looking.run("COMMIT");
        }
        check(100);
        assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 10 medium");
        assertThat(strings("SELECT evidence ->> 'open_dead_letters' FROM oneroof.system_issues"))
                .containsExactly("10");
    }

    @Test
    void raisesAgainWhatSomebodyHasEndedThoughLettersAreOpen() {
        giveUp("mark_file", 2, "file 1 is gone");
        check(100);
        database.run("SELECT oneroof.fn_finding_resolve('cursor_dlq', 'jobs/mark_file')");

        check(100);

        assertThat(findings()).containsExactly("cursor_dlq jobs/mark_file 2 medium");
    }

    @Test
    void leavesTheFindingsOfACursorAlone() {
        database.run(
                "SELECT oneroof.fn_finding_raise('cursor_dlq', 'jobs/orders/0', 'of a worker that is called jobs')");

        check(100);

        assertThat(findings()).containsExactly("cursor_dlq jobs/orders/0 1 medium");
    }

    @Test
    void looksAtFewPagesWhateverThereIs() {
        try (Sql sql = database.sql()) {
            // With a plan that was made while there was nothing, and that was known.
            sql.run("VACUUM oneroof.job_dead_letter");
            for (int n = 0; n < 10; n++) {
                sql.run(CHECK.formatted(100));
            }
            database.run(
                    "INSERT INTO oneroof.job_dead_letter (dead_letter_id, job_id, job_kind, event_domain, priority, attempts,"
                            + " max_attempts, payload, error_class, last_error, fingerprint, enqueued_at, last_failed_at)"
                            + " SELECT gen_random_uuid(), gen_random_uuid(), 'mark_file', 'system', 0, 3, 3, '{}', 'E',"
                            + " repeat('x', 200), lpad((n % 40)::text, 16, '0'), now(), now()"
                            + " FROM generate_series(1, 100000) n");
            sql.run(CHECK.formatted(100));
            assertThat(findings())
                    .containsExactly(
                            "cursor_dlq jobs/mark_file 1001 high", "cursor_dlq_overflow jobs/mark_file 901 high");

            String plan = String.join(
                    "\n",
                    sql.list(row -> row.getString(1), "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + CHECK.formatted(100)));

            long pages = database.value(
                    Long.class,
                    "SELECT sum(n[1]::bigint)::bigint FROM regexp_matches(split_part(?, 'Planning', 1),"
                            + " '(?:hit|read)=([0-9]+)', 'g') n",
                    plan);
            assertThat(pages).as(plan).isPositive().isLessThan(1300);
            assertThat(database.value(Long.class, "SELECT pg_relation_size('oneroof.job_dead_letter') / 8192"))
                    .isGreaterThan(4000);
        }
    }

    @Test
    void isForThoseWhoRunJobsAndRefusesBadArguments() {
        try (Sql sql = database.sql()) {
            for (String role : List.of("dot_executor", "workflow_admin", "oneroof_server")) {
                sql.run("SET ROLE " + role);
                sql.run("SELECT oneroof.fn_job_dead_letter_check()");
            }
            sql.run("SET ROLE oneroof_viewer");
            assertThatThrownBy(() -> sql.run("SELECT oneroof.fn_job_dead_letter_check()"))
                    .hasMessageContaining("42501");
        }
        try (Sql executor = database.sql()) {
            executor.run("SET ROLE dot_executor");
            assertThatThrownBy(() -> executor.run("SELECT oneroof.fn_job_dead_letter_check(1000000)"))
                    .as("what is too many is not its to say: it would end the finding")
                    .hasMessageContaining("42501");
        }
        for (String bad : List.of("0", "1000001", "NULL")) {
            assertThatThrownBy(() -> database.run("SELECT oneroof.fn_job_dead_letter_check(%s)".formatted(bad)))
                    .hasMessageContaining("overflow_at: '%s' is not allowed; allowed are 1 to 1000000"
                            .formatted(bad.replace("NULL", "")));
        }
    }

    @Test
    void isMadeNowAndThen() {
        DeadLetterCheck chore = new DeadLetterCheck(new Database(database.dataSource(), SchemaName.DEFAULT), 2);
        giveUp("mark_file", 3, "file 1 is gone");

        assertThat(chore.run()).isEqualTo(Duration.ofSeconds(5));
        assertThat(findings())
                .containsExactly("cursor_dlq jobs/mark_file 3 medium", "cursor_dlq_overflow jobs/mark_file 1 high");
        giveUp("mark_file", 1, "file 1 is gone");
        assertThat(chore.run()).as("not yet").isPositive().isLessThan(Duration.ofSeconds(5));
        assertThat(findings()).contains("cursor_dlq jobs/mark_file 3 medium");
    }

    private String check(int overflowAt) {
        return database.value(String.class, CHECK.formatted(overflowAt));
    }

    private void giveUp(String kind, int count, String error) {
        try (Sql sql = database.sql()) {
            giveUp(sql, kind, count, error);
        }
    }

    /** As workers do it: enqueued, leased, failed for good. */
    private static void giveUp(Sql sql, String kind, int count, String error) {
        sql.run("SELECT oneroof.fn_job_enqueue(?) FROM generate_series(1, ?)", kind, count);
        sql.run(
                "SELECT oneroof.fn_job_fail(l.job_id, l.lease_token, 'IOException', ?, p_final => true)"
                        + " FROM oneroof.fn_job_lease(ARRAY[?], ?, 'worker') l",
                error,
                kind,
                count);
    }

    private void close(String kind, int count) {
        database.run(
                "SELECT oneroof.fn_job_dead_letter_triage(d.dead_letter_id, 'closed', 'gone', 'ann')"
                        + " FROM (SELECT dead_letter_id FROM oneroof.job_dead_letter"
                        + " WHERE job_kind = ? AND resolved_at IS NULL LIMIT ?) d",
                kind,
                count);
    }

    private List<String> findings() {
        return strings("SELECT concat_ws(' ', issue_type, coalesce_key, occurrence_count, severity)"
                + " FROM oneroof.system_issues WHERE status <> 'resolved' ORDER BY coalesce_key, issue_type");
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
