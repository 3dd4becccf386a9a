package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.Figure;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The trial of jobs stands on this verdict: it must see what it is there to see. Times are seconds of one minute. */
@OneRoofTest
class JobVerdictTest {
    private static final List<Long> ONE_OF_EACH = List.of(1L, 1L, 1L);

    private final JobTables tables = new JobTables("oneroof_verdict");

    @SuppressWarnings("NullAway.Init")
    private Sql sql;

    @SuppressWarnings("NullAway.Init")
    private Database owner;

    /** One job of each kind, ended by the second attempt of process b after a lease of process a ran out. */
    @BeforeEach
    void oneJobOfEachKind(TestDatabase database) {
        sql = database.sql();
        owner = new Database(Connections.plain(TrialDatabase.of(database), "trial owner"), SchemaName.DEFAULT);
        tables.create(owner, SchemaConfig.DEFAULT.roles().server());
        ended("trial_in_tx", "succeeded");
        ended("trial_outside", "succeeded");
        ended("trial_single", "succeeded");
        sql.run("UPDATE oneroof.job_history SET last_error = 'lease_expired: the lease of ''a'' ran out; taken back'");
        strike("a", "kill", 50, 51);
        effect("trial_in_tx", 2, "b", 30);
        effect("trial_outside", 2, "b", 30);
        handled("trial_single", "b", 30, 31);
    }

    @AfterEach
    void close() {
        sql.close();
    }

    @Test
    void holdsWhereEveryEffectHappenedOnce() {
        assertThat(broken(ONE_OF_EACH)).isEmpty();
    }

    @Test
    void holdsWhereADuplicateIsOfAProcessThatWasKilledOrFrozenJustThen() {
        strike("a", "kill", 10, 11);
        effect("trial_outside", 1, "a", 9);
        assertThat(broken(ONE_OF_EACH)).isEmpty();
        assertThat(told(ONE_OF_EACH)).containsEntry("outside: of attempts that were killed", 1.0);
        sql.run("UPDATE oneroof_verdict.strike SET blow = 'stall'");
        assertThat(told(ONE_OF_EACH)).containsEntry("outside: of attempts that stood still by themselves", 1.0);
        sql.run("UPDATE oneroof_verdict.strike SET blow = 'stop'");
        sql.run("UPDATE oneroof_verdict.trial_outside SET at = at + interval '4 s' WHERE process = 'a'");

        assertThat(broken(ONE_OF_EACH)).as("written when it goes on").isEmpty();
        assertThat(told(ONE_OF_EACH)).containsEntry("outside: of attempts that were frozen", 1.0);
    }

    @Test
    void seesEffectsThatAreMissing() {
        sql.run("DELETE FROM oneroof_verdict.trial_in_tx");
        sql.run("UPDATE oneroof_verdict.trial_outside SET attempt = 1, process = 'a'");
        strike("a", "kill", 30, 31);

        assertThat(broken(ONE_OF_EACH))
                .containsExactly("in tx: effects that are missing", "outside: effects that are missing");
    }

    @Test
    void seesAnEffectThatHappenedTwiceThoughItsProcessWasKilled() {
        strike("a", "kill", 10, 11);
        effect("trial_in_tx", 1, "a", 9);

        assertThat(broken(ONE_OF_EACH))
                .containsExactly("in tx: effects that happened twice", "in tx: effects of another than ended the job");
    }

    @Test
    void seesADuplicateOfAProcessThatWasStruckAtAnotherTime() {
        effect("trial_outside", 1, "a", 9);
        assertUnexplained("killed much later");
        strike("a", "kill", 6, 7);
        assertUnexplained("after its death");
        strike("a", "stop", 2, 5);
        assertUnexplained("long after it went on");
        strike("b", "kill", 10, 11);
        assertUnexplained("another process");
    }

    @Test
    void seesADuplicateOfAnAttemptThatEndedOtherwise() {
        strike("a", "kill", 10, 11);
        strike("c", "kill", 10, 11);
        effect("trial_outside", 1, "a", 9);
        sql.run("UPDATE oneroof.job_history SET last_error = 'lease_expired: the lease of ''c'' ran out'");
        assertUnexplained("somebody else's lease");
        sql.run("UPDATE oneroof.job_history SET last_error = 'outcome: by chance'");
        assertUnexplained("a failure");
    }

    @Test
    void seesJobsThatWereTakenFromAHolderThatNeverStoodStill() {
        sql.run("TRUNCATE oneroof_verdict.strike");

        assertThat(broken(ONE_OF_EACH)).containsExactly("jobs that were taken from a holder that never stood still");
    }

    @Test
    void seesTwoEffectsOfOneAttempt() {
        strike("a", "kill", 10, 11);
        effect("trial_outside", 1, "a", 9);
        effect("trial_outside", 1, "a", 9);

        assertUnexplained("no crash does that");
    }

    @Test
    void seesJobsThatAreLostOrEndedTwiceOrBadly() {
        ended("trial_in_tx", "failed");
        sql.run("INSERT INTO oneroof.job_history SELECT * FROM oneroof.job_history WHERE job_kind = 'trial_single'");

        assertThat(broken(List.of(1L, 2L, 2L)))
                .contains(
                        "in tx: jobs that ended otherwise",
                        "outside: jobs that succeeded",
                        "single: jobs that ended twice");
    }

    @Test
    void seesTwoHandlersAtOnceThoughOneBeganAndEndedWithinTheOther() {
        ended("trial_single", "succeeded");
        handled("trial_single", "b", 30.2, 30.4);

        assertThat(broken(List.of(1L, 1L, 2L))).containsExactly("limit 1: handlers that overlapped");
    }

    @Test
    void seesTwoLeasesThatAHandlerSaw() {
        sql.run("UPDATE oneroof_verdict.trial_single SET leased = 2, valid = 2 WHERE mark = 'begun'");

        assertThat(broken(ONE_OF_EACH))
                .containsExactly(
                        "limit 1: valid leases seen by handlers, most",
                        "limit 1: leases seen by handlers, valid or not, most");
    }

    private void assertUnexplained(String why) {
        assertThat(broken(ONE_OF_EACH)).as(why).containsExactly("outside: duplicates that no crash explains");
    }

    /** A job that ended in the second attempt, by process b. */
    private void ended(String kind, String state) {
        sql.run("""
                INSERT INTO oneroof.job_history
                    (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
                     lease_owner, finished_at, payload)
                VALUES (gen_random_uuid(), ?, 'system', ?, 0, now(), now(), 2, 10, 'b', clock_timestamp(), '{}')
                """, kind, state);
    }

    private void effect(String kind, int attempt, String process, double second) {
        sql.run("""
                INSERT INTO oneroof_verdict.%s (job_id, attempt, process, at)
                SELECT job_id, ?, ?, timestamptz '2026-01-01 00:00+00' + make_interval(secs => ?)
                FROM oneroof.job_history
                WHERE job_kind = ?
                """.formatted(kind), attempt, process, second, kind);
    }

    /** The last job of the kind that ended. */
    private void handled(String kind, String process, double begun, double ended) {
        sql.run("""
                INSERT INTO oneroof_verdict.trial_single (job_id, attempt, process, mark, at, leased, valid)
                SELECT h.job_id, 2, ?, m.mark, timestamptz '2026-01-01 00:00+00' + make_interval(secs => m.second), 1, 1
                FROM (SELECT job_id FROM oneroof.job_history WHERE job_kind = ? ORDER BY finished_at DESC LIMIT 1) h,
                     (VALUES ('begun', ?::float8), ('ended', ?::float8)) m (mark, second)
                """, process, kind, begun, ended);
    }

    private void strike(String process, String blow, double from, double until) {
        sql.run("""
                INSERT INTO oneroof_verdict.strike (process, blow, held, from_at, until_at)
                VALUES (?, ?, 1, timestamptz '2026-01-01 00:00+00' + make_interval(secs => ?),
                        timestamptz '2026-01-01 00:00+00' + make_interval(secs => ?))
                """, process, blow, from, until);
    }

    private List<String> broken(List<Long> enqueued) {
        return figures(enqueued).stream()
                .filter(figure -> !figure.holds())
                .map(Figure::name)
                .toList();
    }

    private Map<String, Double> told(List<Long> enqueued) {
        return figures(enqueued).stream().collect(Collectors.toMap(Figure::name, Figure::measured));
    }

    private List<Figure> figures(List<Long> enqueued) {
        return new JobVerdict(tables, owner, Duration.ofSeconds(3)).figures(enqueued);
    }
}
