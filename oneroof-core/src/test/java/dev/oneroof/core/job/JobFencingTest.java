package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a holder does whose lease ran out and was taken back changes nothing, whatever has become of the job by then. As a
 * control, the same is done with the functions as they are but for the token: then each of them changes something.
 */
@OneRoofTest
class JobFencingTest {
    /** The condition that is taken out of the functions. */
    private static final Pattern TOKEN = Pattern.compile(" AND q\\.lease_token = (g\\.token|p_token)\\b");

    /** Every row of every table in which a job leaves anything. */
    private static final String EVERYTHING = """
            SELECT concat_ws(E'\\n',
                (SELECT jsonb_agg(to_jsonb(q) ORDER BY q.job_id) FROM oneroof.job_queue q),
                (SELECT jsonb_agg(to_jsonb(h) ORDER BY h.job_id) FROM oneroof.job_history h),
                (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.dead_letter_id) FROM oneroof.job_dead_letter d),
                (SELECT jsonb_agg(to_jsonb(l) ORDER BY l.log_id) FROM oneroof.job_log l))
            """;

    private Sql sql;

    /** What a holder can do, and what it hears when the job is not its own. */
    enum Act {
        COMPLETE("fn_job_complete_many", "fn_job_complete('%s', '%s')", "false"),
        COMPLETE_MANY(
                "fn_job_complete_many",
                "fn_job_complete_many(ARRAY['%1$s']::uuid[], ARRAY['%2$s']::uuid[])::text = '{%1$s}'",
                "true"),
        FAIL("fn_job_fail", "fn_job_fail('%s', '%s', 'late', 'late') ->> 'outcome'", "lost"),
        FAIL_FOR_GOOD("fn_job_fail", "fn_job_fail('%s', '%s', 'late', 'late', NULL, true) ->> 'outcome'", "lost"),
        EXTEND(
                "fn_job_extend",
                "SELECT verdict FROM fn_job_extend(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[], 3600)",
                "lost"),
        SNOOZE("fn_job_snooze", "fn_job_snooze('%s', '%s', 5)", "false"),
        HAND_BACK("fn_job_hand_back", "fn_job_hand_back(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[])", "0"),
        GIVE_UP("fn_job_give_up", "fn_job_give_up('%s', '%s', 'late')", "false"),
        SAY("fn_job_say", "fn_job_say('%s', '%s', 'late')", "false");

        private final String function;
        private final String call;
        private final String refusal;

        Act(String function, String call, String refusal) {
            this.function = function;
            this.call = call;
            this.refusal = refusal;
        }
    }

    /** What has become of the job meanwhile. The next holder bears the name of the first: a name is no token. */
    enum Meanwhile {
        BETWEEN_TWO_ATTEMPTS,
        DUE,
        LEASED_AGAIN,
        LEASED_AGAIN_AND_UNWANTED,
        SUCCEEDED,
        FAILED
    }

    private record Held(String job, String token) {}

    @BeforeEach
    void knows(TestDatabase database) {
        sql = database.sql();
        sql.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        sql.run("SELECT oneroof.fn_job_kind_register('mark_file', p_first_backoff_seconds => 100)");
    }

    @AfterEach
    void close() {
        sql.close();
    }

    @ParameterizedTest
    @EnumSource
    void changesNothingOnceTheLeaseWasTakenBack(Meanwhile meanwhile) {
        Held late = late(meanwhile);
        String before = everything();

        for (Act act : Act.values()) {
            assertThat(done(act, late)).as("%s", act).isEqualTo(act.refusal);
            assertThat(everything()).as("after %s", act).isEqualTo(before);
        }
    }

    @Test
    void wouldChangeTheJobOfTheNextHolderWithoutTheToken() {
        for (Act act : Act.values()) {
            sql.run("BEGIN");
            withoutToken(act.function);
            Held late = late(Meanwhile.LEASED_AGAIN);
            String before = everything();
            done(act, late);
            assertThat(everything()).as("after %s", act).isNotEqualTo(before);
            sql.run("ROLLBACK");
        }
    }

    /** Nothing is refused for another reason than the token. */
    @Test
    void letsTheHolderDoIt() {
        for (Act act : Act.values()) {
            sql.run("BEGIN");
            sql.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            Held held = lease();
            String before = everything();
            assertThat(done(act, held)).as("%s", act).isNotEqualTo(act.refusal);
            assertThat(everything()).as("after %s", act).isNotEqualTo(before);
            sql.run("ROLLBACK");
        }
    }

    /** A job whose first holder was too slow, and what the first one still believes to hold. */
    private Held late(Meanwhile meanwhile) {
        sql.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        Held late = lease();
        change(late, "lease_until = clock_timestamp() - interval '1 second'");
        assertThat(sql.value(String.class, "SELECT oneroof.fn_job_lease_reaper()::text"))
                .contains("\"reaped\": 1");
        switch (meanwhile) {
            case BETWEEN_TWO_ATTEMPTS -> {}
            case DUE -> becomesDue(late);
            case LEASED_AGAIN -> leaseAgain(late);
            case LEASED_AGAIN_AND_UNWANTED -> {
                leaseAgain(late);
                sql.run("SELECT oneroof.fn_job_cancel('%s', 'not needed', 'ann')".formatted(late.job()));
            }
            case SUCCEEDED -> done(Act.COMPLETE, leaseAgain(late));
            case FAILED -> done(Act.FAIL_FOR_GOOD, leaseAgain(late));
        }
        return late;
    }

    private Held leaseAgain(Held before) {
        becomesDue(before);
        Held again = lease();
        assertThat(again.job()).isEqualTo(before.job());
        assertThat(again.token()).isNotEqualTo(before.token());
        return again;
    }

    private void becomesDue(Held job) {
        change(
                job,
                "scheduled_at = clock_timestamp() - interval '1 hour', order_at = clock_timestamp() - interval '1 hour'");
        sql.run("SELECT oneroof.fn_job_promote()");
    }

    private Held lease() {
        return sql.one(
                row -> new Held(row.getString("job_id"), row.getString("lease_token")),
                "SELECT job_id, lease_token FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
    }

    private void change(Held job, String assignments) {
        sql.run("UPDATE oneroof.job_queue SET %s WHERE job_id = '%s'".formatted(assignments, job.job()));
    }

    private String done(Act act, Held held) {
        String call = act.call.formatted(held.job(), held.token());
        return sql.value(String.class, "SELECT (%s)::text".formatted(call.replace("fn_job", "oneroof.fn_job")));
    }

    private String everything() {
        return sql.value(String.class, EVERYTHING);
    }

    /** Where the condition is not found, the control would prove nothing. */
    private void withoutToken(String function) {
        List<String> definitions = sql.list(
                row -> row.getString(1),
                "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'oneroof'::regnamespace AND proname = ?",
                function);
        assertThat(definitions).hasSize(1);
        Matcher condition = TOKEN.matcher(definitions.getFirst());
        assertThat(condition.find())
                .as("a condition on the token in %s", definitions)
                .isTrue();
        sql.run(condition.replaceAll(""));
    }
}
