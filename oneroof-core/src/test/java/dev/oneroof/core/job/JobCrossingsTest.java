package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two transactions that change the same job: one waits for the other, and then sees its result. */
@OneRoofTest
class JobCrossingsTest {
    private TestDatabase database;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fn_job_snooze('%s', '%s', 60)", "fn_job_fail('%s', '%s', 'x', 'y')"})
    void losesNoCancelThatCrossesWhatTheHolderDoes(String act) {
        String job = enqueue("'mark_file'");
        String call = "SELECT oneroof." + act.formatted(job, token());
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            assertThat(operator.value(
                            String.class,
                            "SELECT oneroof.fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'".formatted(job)))
                    .isEqualTo("requested");
            CompletableFuture<Void> holder = waiting(call);
            operator.run("COMMIT");
            holder.join();
        }

        assertThat(database.value(String.class, "SELECT state || ' ' || last_error FROM oneroof.v_job"))
                .isEqualTo("cancelled cancelled by ann: not needed");
    }

    /** A hand-back does not wait for a job that is being cancelled. The next one cancels it, and counts no attempt. */
    @Test
    void handsTheOthersBackWhileOneIsBeingCancelled() {
        enqueue("'mark_file'");
        String unwanted = enqueue("'mark_file'");
        String all = database.value(
                String.class,
                "SELECT format('%L::uuid[], %L::uuid[]', array_agg(job_id), array_agg(lease_token))"
                        + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me')");
        String handBack = "SELECT oneroof.fn_job_hand_back(%s)".formatted(all);
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            operator.run("SELECT oneroof.fn_job_cancel('%s', 'not needed', 'ann')".formatted(unwanted));
            assertThat(database.value(Long.class, handBack)).isEqualTo(1);
            operator.run("COMMIT");
        }
        assertThat(states()).containsExactly("queued 0", "leased 0");
        assertThat(database.value(Long.class, handBack)).isEqualTo(1);
        assertThat(states()).containsExactly("queued 0", "cancelled 0");
        assertThat(database.value(String.class, "SELECT last_error FROM oneroof.v_job WHERE state = 'cancelled'"))
                .isEqualTo("cancelled by ann: not needed");
    }

    private List<String> states() {
        return database.list(
                row -> row.getString(1), "SELECT state || ' ' || attempts FROM oneroof.v_job ORDER BY job_id");
    }

    @Test
    void enqueuesOneJobOfAKeyThatTwoSessionsBringAtOnce() {
        String enqueue = "SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'k') ->> 'job_id'";
        database.run("CREATE TABLE public.answers (job_id text)");
        try (Sql one = database.sql()) {
            one.run("BEGIN");
            String first = one.value(String.class, enqueue);
            CompletableFuture<Void> second = waiting("INSERT INTO public.answers " + enqueue);
            one.run("COMMIT");
            second.join();
            assertThat(database.list(
                            row -> row.getString(1),
                            "SELECT job_id FROM public.answers UNION ALL"
                                    + " SELECT job_id::text FROM oneroof.job_queue"))
                    .containsExactly(first, first);
        }
    }

    /** The snapshot still shows the job that bore the key, which has ended since. */
    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void namesTheJobThatBearsTheKeyWhateverTheSnapshotShows(String isolation) {
        String ended = enqueue("'mark_file', p_idempotency_key => 'k'");
        String token = token();
        try (Sql old = database.sql()) {
            old.run("BEGIN ISOLATION LEVEL " + isolation);
            old.run("SELECT FROM oneroof.job_queue");
            database.run("SELECT oneroof.fn_job_complete('%s', '%s')".formatted(ended, token));

            assertThat(old.list(
                            row -> row.getString(1) + " " + row.getBoolean(2),
                            "SELECT job_id = '%s', created FROM oneroof.fn_job_enqueue_many(".formatted(ended)
                                    + "ARRAY['mark_file', 'mark_file'], ARRAY['{}', '{}']::jsonb[], ARRAY['k', 'k'])"))
                    .containsExactly("f true", "f false");
            assertThat(old.value(
                            String.class,
                            "SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'k') ->> 'job_id'"))
                    .as("it bears the key in this transaction already")
                    .isNotEqualTo(ended);
            old.run("COMMIT");
        }
        assertThat(database.value(
                        Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE job_id <> '%s'".formatted(ended)))
                .isEqualTo(1);
    }

    /** A lease that started earlier, and reached the kind later, does not refill what was used since. */
    @Test
    void theClockOfARateDoesNotGoBackForALookThatWasSlow() {
        database.run("SELECT oneroof.fn_job_kind_register('slow', p_rate_count => 10, p_rate_seconds => 1)");
        enqueue("'mark_file'");
        database.run("SELECT oneroof.fn_job_enqueue('slow') FROM generate_series(1, 4)");
        database.run("CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$");
        database.run("CREATE TRIGGER held BEFORE UPDATE ON oneroof.job_queue FOR EACH ROW"
                + " WHEN (NEW.job_kind = 'mark_file') EXECUTE FUNCTION held()");
        OffsetDateTime refilled;
        try (Sql first = database.sql()) {
            first.run("SELECT pg_advisory_lock(4711)");
            CompletableFuture<Void> slow = waiting("SELECT oneroof.fn_job_lease(ARRAY['mark_file', 'slow'], 4, 'one')");
            assertThat(lease("ARRAY['slow']", 1)).hasSize(1);
            refilled = refilledAt();
            first.run("SELECT pg_advisory_unlock(4711)");
            slow.join();
        }

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE lease_owner = 'one'"))
                .isGreaterThan(1);
        assertThat(refilledAt()).isAfter(refilled);
    }

    private OffsetDateTime refilledAt() {
        return database.value(OffsetDateTime.class, "SELECT refilled_at FROM oneroof.job_kind_rate");
    }

    /** Calls, and returns when that call waits for a lock. */
    private CompletableFuture<Void> waiting(String call) {
        CompletableFuture<Void> called = CompletableFuture.runAsync(() -> database.run(call));
        Await.patiently()
                .until(
                        "one waits for the other",
                        () -> database.inspect(sql -> sql.value(
                                        Long.class,
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                                + " AND wait_event_type = 'Lock'"))
                                == 1);
        return called;
    }

    private String enqueue(String arguments) {
        return database.value(String.class, "SELECT oneroof.fn_job_enqueue(%s) ->> 'job_id'".formatted(arguments));
    }

    private String token() {
        return database.value(
                String.class, "SELECT lease_token::text FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
    }

    private List<String> lease(String kinds, int limit) {
        return database.list(
                row -> row.getString(1),
                "SELECT job_id::text FROM oneroof.fn_job_lease(%s, %d, 'me')".formatted(kinds, limit));
    }
}
