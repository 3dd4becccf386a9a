package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * What the statements of jobs read: rows in proportion to what they are about, however many others there are, and whenever
 * their plan was made. The worst time for that is when the queue was empty and a vacuum has been there: then any way through
 * the tables costs nothing, and a session keeps to it until the next analyse.
 */
@OneRoofTest
class JobPlansTest {
    private static final Pattern GROWING =
            Pattern.compile("job_queue|job_dead_letter|job_schedule|job_(history|log)(_\\w+)?");

    private static final String KINDS = """
            UPDATE oneroof.dot_config SET value = 'true'
            WHERE key IN ('queue.jobs.enabled', 'queue.replay.enabled', 'queue.notify.bridge_enabled');
            SELECT oneroof.fn_job_kind_register('busy'), oneroof.fn_job_kind_register('other'),
                   oneroof.fn_job_kind_register('single', p_max_running => 100),
                   oneroof.fn_job_kind_register('slow', p_rate_count => 100, p_rate_seconds => 1);
            DO $$
            DECLARE
                v_table text;
            BEGIN
                -- An ANALYZE in between would replace the plans.
                FOR v_table IN
                    SELECT c.oid::regclass FROM pg_class c
                    WHERE c.relnamespace = 'oneroof'::regnamespace AND c.relkind = 'r' AND c.relname LIKE 'job%'
                LOOP
                    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', v_table);
                END LOOP;
            END
            $$;
            """;

    /** So many thousands; ids tell what they are of. Ten of each are due, or have run out. */
    private static final String ROWS = """
            INSERT INTO oneroof.job_queue
                (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts,
                 idempotency_key, payload)
            SELECT (j.first || '0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, j.kind, 'system', j.state, 0,
                   t.at, t.at, now(), 10, CASE j.kind WHEN 'busy' THEN 'busy' || n END, '{"ref": 1}'
            FROM (VALUES ('1', 'busy', 'queued', 12 * :rows), ('2', 'other', 'queued', 12 * :rows),
                         ('3', 'other', 'scheduled', 5 * :rows)) j (first, kind, state, count),
                 LATERAL generate_series(1, j.count) n,
                 LATERAL (SELECT CASE j.state WHEN 'queued' THEN now() - n * interval '1 second'
                                              ELSE now() + (n - 10) * interval '1 hour' END) t (at);
            INSERT INTO oneroof.job_queue
                (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts,
                 lease_owner, leased_at, lease_until, lease_token, payload)
            SELECT ('40000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
                   CASE WHEN n % 100 = 0 THEN 'single' ELSE 'other' END, 'system', 'leased', 0, now(), now(), now(), 1 + n % 2,
                   'somebody', now(), now() + (n - 10) * interval '1 hour',
                   ('50000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, '{"ref": 1}'
            FROM generate_series(1, 2 * :rows) n;
            INSERT INTO oneroof.job_history
                (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts, finished_at,
                 payload)
            SELECT ('60000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'busy', 'system',
                   CASE WHEN n <= 10 THEN 'failed' ELSE 'succeeded' END, 0, now(), now(), 1, 10, now() - n % 3 * interval '1 day', '{"ref": 1}'
            FROM generate_series(1, 10 * :rows) n;
            INSERT INTO oneroof.job_dead_letter
                (dead_letter_id, job_id, job_kind, event_domain, priority, attempts, max_attempts, payload, error_class,
                 last_error, fingerprint, enqueued_at, last_failed_at, triage_status, triaged_by, triaged_at, resolved_at)
            SELECT ('70000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), 'busy', 'system', 0, 1, 1,
                   '{"ref": 1}', 'x', 'y', 'f' || n / 10 % 5, now(), now(), s.status, 'ann', now() - interval '1 hour',
                   CASE s.status WHEN 'closed' THEN now() - CASE WHEN n < 14 THEN interval '1 year' ELSE interval '1 hour' END END
            FROM generate_series(1, 10 * :rows) n,
                 LATERAL (SELECT CASE n % 10 WHEN 0 THEN 'new' WHEN 1 THEN 'manual_replay' ELSE 'closed' END) s (status);
            INSERT INTO oneroof.job_dead_letter_replay_run
                (replay_run_id, job_kind, fingerprint, authorization_source, actor, rate, left_over, refilled_at, letters,
                 last_letter, started_at)
            VALUES ('80000000-0000-4000-8000-000000000001', 'busy', 'f0', 'ticket 7', 'ann', 10, 10, now(), :rows,
                    'ffffffff-ffff-ffff-ffff-ffffffffffff', now());
            INSERT INTO oneroof.job_schedule
                (schedule_name, job_kind, every_seconds, first_due_at, catch_up, may_overlap, payload, priority, next_due_at,
                 registered_by)
            SELECT 's' || n, 'busy', 3600, now(), 'last', true, '{}', 0, now() + (n - 10) * interval '1 hour', 'me'
            FROM generate_series(1, 2 * :rows) n;
            """;

    /** A hundred and sixty instances with four scopes each, thirty of them gone with theirs. */
    private static final String HEARTBEATS = """
            INSERT INTO oneroof.queue_heartbeat
                (executor_name, executor_kind, expected_cadence_seconds, stale_threshold_seconds, registered_by, lease_owner,
                 lease_until, lease_epoch)
            SELECT CASE s WHEN 0 THEN 'instance/i' || n ELSE 'jobs/i' || n || '/0' END, 'PG_worker', 5, 30, 'me', 'i' || n,
                   now() + CASE WHEN n <= 30 THEN interval '-1 day' ELSE interval '1 hour' END,
                   nextval('oneroof.lease_epoch_seq')
            FROM generate_series(1, 400) n, generate_series(0, 1) s
            """;

    /**
     * @param about how many rows it is about
     * @param sql what is called, or a statement that is prepared
     */
    private record Call(String sql, long about) {}

    private static final List<Call> CALLS = calls();

    private static List<Call> calls() {
        List<Call> calls = new ArrayList<>();
        calls.add(new Call("SELECT * FROM oneroof.fn_job_lease(ARRAY['busy'], 10, 'me')", 10));
        calls.add(new Call(
                "SELECT * FROM oneroof.fn_job_lease(ARRAY['busy'], 10, 'me', NULL, NULL,"
                        + " ARRAY[now() - interval '30 minutes'])",
                10));
        calls.add(
                new Call("SELECT * FROM oneroof.fn_job_lease(ARRAY['busy', 'other', 'single', 'slow'], 10, 'me')", 40));
        // None of these are due: what is for later is looked at. Of the leased, twenty are of the one with a limit.
        calls.add(new Call("SELECT * FROM oneroof.fn_job_lease(ARRAY['single'], 10, 'me')", 30));
        calls.add(new Call("SELECT * FROM oneroof.fn_job_lease(ARRAY['slow'], 10, 'me')", 10));
        calls.add(new Call("SELECT oneroof.fn_job_promote(1000, true)", 10));
        calls.add(new Call("SELECT oneroof.fn_job_promote(1000, true, now() - interval '10 seconds')", 10));
        calls.add(new Call(
                "SELECT * FROM oneroof.fn_job_put(%s, array_fill('busy'::text, ARRAY[10]), array_fill('{}'::jsonb, ARRAY[10]))"
                        .formatted(ids('9', 1)),
                10));
        calls.add(new Call(
                ("SELECT * FROM oneroof.fn_job_put(%s, array_fill('busy'::text, ARRAY[10]), array_fill('{}'::jsonb, ARRAY[10]),"
                                + " ARRAY(SELECT 'busy' || n FROM generate_series(6, 15) n))")
                        .formatted(ids('9', 1)),
                20));
        calls.add(new Call("SELECT * FROM oneroof.fn_job_extend(%s)".formatted(leased()), 10));
        calls.add(new Call("SELECT oneroof.fn_job_complete_many(%s)".formatted(leased()), 10));
        calls.add(new Call("SELECT oneroof.fn_job_complete(%s)".formatted(oneLeased()), 1));
        calls.add(new Call("SELECT oneroof.fn_job_fail(%s, 'x', 'y')".formatted(oneLeased()), 1));
        calls.add(new Call("SELECT oneroof.fn_job_fail(%s, 'x', 'y', NULL, true)".formatted(oneLeased()), 1));
        calls.add(new Call("SELECT oneroof.fn_job_snooze(%s, 60)".formatted(oneLeased()), 1));
        calls.add(new Call("SELECT oneroof.fn_job_hand_back(%s)".formatted(leased()), 10));
        calls.add(new Call("SELECT oneroof.fn_job_hand_back_leased(ARRAY['single'], ARRAY[gen_random_uuid()])", 20));
        calls.add(new Call("SELECT oneroof.fn_job_give_up(%s, 'x')".formatted(oneLeased()), 1));
        calls.add(new Call("SELECT oneroof.fn_job_say(%s, 'x')".formatted(oneLeased()), 1));
        for (char job : new char[] {'1', '4', '6'}) {
            calls.add(new Call("SELECT oneroof.fn_job_cancel(%s, 'x', 'ann')".formatted(id(job, 1)), 1));
        }
        calls.add(new Call("SELECT oneroof.fn_job_retry_now(%s, 'x', 'ann')".formatted(id('3', 1)), 1));
        calls.add(new Call("SELECT oneroof.fn_job_lease_reaper(1000, 'me')", 10));
        calls.add(new Call("SELECT oneroof.fn_job_lease_reaper(1000, 'me', now() - interval '10 seconds')", 10));
        calls.add(
                new Call("SELECT oneroof.fn_job_dead_letter_triage(%s, 'closed', '', 'ann')".formatted(id('7', 1)), 1));
        calls.add(new Call(
                "SELECT oneroof.fn_job_dead_letter_triage_group('busy', 'f0', 'investigating', '', 'ann', NULL, NULL, 10)",
                10));
        calls.add(new Call("SELECT oneroof.fn_job_dead_letter_replay(%s, 'ticket 7', 'ann')".formatted(id('7', 1)), 1));
        calls.add(new Call("SELECT oneroof.fn_job_dead_letter_replay_next(%s, 10, 'ann')".formatted(id('8', 1)), 10));
        // All of the group are counted.
        calls.add(new Call("SELECT oneroof.fn_job_dead_letter_replay_start('busy', 'f1', 'ticket 7', 10, 'ann')", 400));
        calls.add(new Call("SELECT oneroof.fn_job_dead_letter_drop(interval '90 days')", 10));
        calls.add(new Call("SELECT * FROM oneroof.fn_job_schedule_due(100)", 10));
        calls.add(new Call(
                ("SELECT oneroof.fn_job_schedule_fired(ARRAY(SELECT 's' || n FROM generate_series(1, 10) n),"
                        + " array_fill(now() + interval '1 year', ARRAY[10]), NULL, NULL, array_fill(1, ARRAY[10]),"
                        + " array_fill(0, ARRAY[10]), array_fill(0, ARRAY[10]))"),
                10));
        calls.add(new Call(
                "SELECT oneroof.fn_job_schedule_put('s1', 'busy', NULL, NULL, 3600, NULL, now() + interval '1 day')",
                1));
        calls.add(new Call("SELECT oneroof.fn_job_schedule_pause('s1', 'x', 'ann')", 1));
        calls.add(new Call("EXECUTE cancelled (%s)".formatted(ids('4', 1)), 10));
        calls.add(new Call("EXECUTE next_due", 1));
        calls.add(new Call("EXECUTE until_next", 1));
        // A query for one job is planned for that query.
        for (char job : new char[] {'1', '6'}) {
            calls.add(new Call("SELECT * FROM oneroof.v_job WHERE job_id = %s".formatted(id(job, 1)), 1));
        }
        // Ten thousand of two kinds, and what is leased.
        calls.add(new Call("SELECT * FROM oneroof.v_job_backlog", 22_000));
        calls.add(new Call("SELECT * FROM oneroof.fn_job_later()", 5000));
        return calls;
    }

    @Test
    void readNoMoreThanTheyAreAboutOnceTheTablesAreAnalysed(TestDatabase database) throws Exception {
        run(database, KINDS);
        run(database, ROWS.replace(":rows", "1000"));
        database.run("VACUUM ANALYZE");
        try (ExplainingSession session = new ExplainingSession(database)) {
            prepare(session);
            for (Call call : CALLS) {
                assertThat(session.tries("", call.sql())).as(call.sql()).isTrue();
            }
            check(session, CALLS);
            // Open letters are counted in the index, and the closed ones are not looked at.
            check(session, List.of(new Call("SELECT * FROM oneroof.v_job_dead_letter_group", 2010)));
            // A list of jobs that did not succeed reads neither live nor succeeded ones.
            check(
                    session,
                    List.of(new Call(
                            "SELECT * FROM oneroof.v_job WHERE state = 'failed' AND finished_at IS NOT NULL ORDER BY job_id DESC LIMIT 100",
                            10)));
        }
    }

    @OnEveryServer
    void readNoMoreThanTheyAreAboutByPlansThatWereMadeWhenThereWasNothing(TestDatabase database) throws Exception {
        run(database, KINDS);
        database.run("VACUUM ANALYZE");
        try (ExplainingSession session = new ExplainingSession(database)) {
            prepare(session);
            // The sixth time a plan for whatever comes is kept, at the latest.
            for (int n = 1; n <= 7; n++) {
                for (Call call : CALLS) {
                    // With a few rows, at last, those come to their end that have refused before.
                    session.tries(n == 7 ? ROWS.replace(":rows", "1") : "", call.sql());
                }
            }
            run(database, ROWS.replace(":rows", "1000"));
            check(session, CALLS);
        }
    }

    @Test
    void holdInstancesThatAreGoneAgainstTheirOwnScopesOnly(TestDatabase database) throws Exception {
        run(database, HEARTBEATS);
        database.run("ANALYZE");
        try (ExplainingSession session = new ExplainingSession(database)) {
            List<Explained> forgetting = session.explain("SELECT oneroof.fn_queue_stale_check()").stream()
                    .filter(one -> one.statement().contains("DELETE FROM \"oneroof\".queue_heartbeat"))
                    .toList();

            assertThat(forgetting).hasSize(1);
            assertThat(forgetting.getFirst().nodes().getFirst().rows()).isEqualTo(60);
            assertThat(forgetting.getFirst().nodes())
                    .allSatisfy(node -> assertThat(node.removed()).isLessThan(1000));
        }
    }

    private static void check(ExplainingSession session, List<Call> calls) throws Exception {
        SoftAssertions all = new SoftAssertions();
        for (Call call : calls) {
            assertProportionate(all, call, session.explain(call.sql()));
        }
        all.assertAll();
    }

    private static void assertProportionate(SoftAssertions all, Call call, List<Explained> explained) {
        all.assertThat(explained).as(call.sql()).isNotEmpty();
        for (Explained one : explained) {
            all.assertThat(one.nodes())
                    .as("no whole table is read for %s by %s", call.sql(), one.statement())
                    .noneMatch(node -> node.readsAllOf(GROWING));
            all.assertThat(one.nodes())
                    .as("rows are read in proportion for %s by %s", call.sql(), one.statement())
                    .allMatch(node -> node.read() <= 20 + 2 * call.about());
        }
        all.assertThat(explained.getLast().buffers())
                .as("buffers of %s", call.sql())
                .isLessThan(150 + 30 * call.about());
    }

    private static void prepare(ExplainingSession session) throws Exception {
        session.keep("PREPARE cancelled (uuid[]) AS "
                + statement("dev.oneroof.core.job.JobLeaseStore", "CANCELLED").replace(":jobs", "$1"));
        session.keep("PREPARE next_due AS " + statement("dev.oneroof.core.job.worker.JobKeeperStore", "NEXT_DUE"));
        session.keep("PREPARE until_next AS " + statement("dev.oneroof.core.schedule.ScheduleStore", "UNTIL_NEXT"));
    }

    private static String statement(String store, String name) throws ReflectiveOperationException {
        Field field = Class.forName(store).getDeclaredField(name);
        field.setAccessible(true);
        return (String) field.get(null);
    }

    private static void run(TestDatabase database, String statements) {
        try (Sql sql = database.sql()) {
            sql.run(statements);
        }
    }

    private static String id(char first, int n) {
        return "'%s0000000-0000-4000-8000-%012d'".formatted(first, n);
    }

    private static String ids(char first, int from) {
        return IntStream.range(from, from + 10)
                .mapToObj(n -> id(first, n))
                .collect(Collectors.joining(", ", "ARRAY[", "]::uuid[]"));
    }

    private static String leased() {
        return ids('4', 1) + ", " + ids('5', 1);
    }

    private static String oneLeased() {
        return id('4', 1) + ", " + id('5', 1);
    }
}
