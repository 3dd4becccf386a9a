package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs as an executor in any language sees them. */
@OneRoofTest
class JobFunctionsTest {
    private TestDatabase database;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file', 'cut', p_first_backoff_seconds => 100,"
                + " p_longest_backoff_seconds => 300, p_max_attempts => 3)");
        database.run("SELECT oneroof.fn_job_kind_register('other')");
    }

    @Test
    void leasesInTheOrderOfTimeAndPriority() {
        String early = enqueue("'mark_file', p_scheduled_at => now() - interval '2 hours'");
        String late = enqueue("'mark_file', p_scheduled_at => now() - interval '1 hour'");
        String urgent = enqueue("'mark_file', p_priority => 90");
        enqueue("'other', p_priority => 100");

        assertThat(lease("ARRAY['mark_file']", 10)).containsExactly(early, urgent, late);
        assertThat(lease("ARRAY['mark_file']", 10)).isEmpty();
    }

    @Test
    void aKindThatIsRegisteredAsItIsWaitsForNobody() {
        String register = "SELECT oneroof.fn_job_kind_register('single', p_max_running => %s)";
        database.run(register.formatted(1));
        enqueue("'single'");
        try (Sql leasing = database.sql();
                Sql registering = database.sql()) {
            leasing.run("BEGIN");
            leasing.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['single'], 1, 'me')");
            registering.run("SET lock_timeout = '200ms'");
            assertThat(registering.value(Boolean.class, register.formatted(1))).isFalse();
            assertThatThrownBy(() -> registering.run(register.formatted(2))).hasMessageContaining("lock timeout");
            leasing.run("COMMIT");
            assertThat(registering.value(Boolean.class, register.formatted(2))).isTrue();
        }
    }

    @Test
    void leasesSeveralKindsInOneOrder() {
        String first = enqueue("'mark_file', p_scheduled_at => now() - interval '3 minutes'");
        String second = enqueue("'other', p_scheduled_at => now() - interval '2 minutes'");
        enqueue("'mark_file', p_scheduled_at => now() - interval '1 minute'");

        assertThat(lease("ARRAY['other', 'mark_file']", 2)).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void doesNotLeaseWhatIsForLaterNorWhileTheGateIsClosedOrTheKindPaused() {
        enqueue("'mark_file', p_scheduled_at => now() + interval '1 hour'");
        String due = enqueue("'mark_file'");
        gate("queue.jobs.enabled", false);
        assertThat(lease("ARRAY['mark_file']", 10)).isEmpty();
        gate("queue.jobs.enabled", true);
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        assertThat(lease("ARRAY['mark_file']", 10)).isEmpty();
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', false, 'seen', 'ann')");

        assertThat(lease("ARRAY['mark_file']", 10)).containsExactly(due);
    }

    @Test
    void promotesJobsForLaterWhenTheyAreDue() {
        String later = enqueue("'mark_file', p_scheduled_at => now() + interval '1 hour'");
        assertThat(state(later)).isEqualTo("scheduled");
        assertThat(lease("ARRAY['mark_file']", 10)).isEmpty();

        database.run("UPDATE oneroof.job_queue SET scheduled_at = now() - interval '1 second'");

        assertThat(lease("ARRAY['mark_file']", 10)).containsExactly(later);
    }

    @Test
    void leasesNothingBeforeItsTimeEvenIfThatComesMeanwhile() {
        database.run("CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$");
        database.run(
                "CREATE TRIGGER wait BEFORE UPDATE ON oneroof.job_queue FOR EACH STATEMENT EXECUTE FUNCTION wait()");
        enqueue("'mark_file', p_scheduled_at => clock_timestamp() + interval '0.3 seconds'");

        assertThat(lease("ARRAY['mark_file']", 10)).hasSize(1);

        assertThat(database.value(Boolean.class, "SELECT leased_at >= scheduled_at FROM oneroof.job_queue"))
                .isTrue();
    }

    @Test
    void givesTheSecondEnqueueOfAKeyTheJobThatIsAlive() {
        String first = enqueue("'mark_file', p_idempotency_key => 'k'");
        assertThat(
                        database.value(
                                Boolean.class,
                                "SELECT (oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'k') ->> 'created')::boolean"))
                .isFalse();
        assertThat(enqueue("'mark_file', p_idempotency_key => 'k'")).isEqualTo(first);
        assertThat(database.list(
                        row -> row.getLong("job_no") + " " + row.getBoolean("created"),
                        "SELECT * FROM oneroof.fn_job_enqueue_many(ARRAY['other', 'other', 'other', 'mark_file'],"
                                + " ARRAY['{}', '{}', '{}', '{}']::jsonb[], ARRAY['n', NULL, 'n', 'k'])"))
                .containsExactly("1 true", "2 true", "3 false", "4 false");

        String token = token("ARRAY['mark_file']");
        assertThat(complete(first, token)).isTrue();
        assertThat(enqueue("'mark_file', p_idempotency_key => 'k'"))
                .as("it has ended")
                .isNotEqualTo(first);
    }

    @Test
    void endsAJobOnlyForItsHolder() {
        String job = enqueue("'mark_file', '{\"ref\": \"a\"}'");
        String old = token("ARRAY['mark_file']");
        expire();
        database.run("SELECT oneroof.fn_job_lease_reaper()");
        due();
        String token = token("ARRAY['mark_file']");

        assertThat(complete(job, old)).isFalse();
        assertThat(value("fn_job_fail('%s', '%s', 'x', 'y') ->> 'outcome'", job, old))
                .isEqualTo("lost");
        assertThat(value("fn_job_snooze('%s', '%s', 5)::text", job, old)).isEqualTo("false");
        assertThat(value("fn_job_give_up('%s', '%s', 'x')::text", job, old)).isEqualTo("false");
        assertThat(value("fn_job_hand_back(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[])::text", job, old))
                .isEqualTo("0");
        assertThat(value("fn_job_say('%s', '%s', 'hello')::text", job, old)).isEqualTo("false");
        assertThat(database.value(
                        String.class,
                        "SELECT verdict FROM oneroof.fn_job_extend(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[], 60)"
                                .formatted(job, old)))
                .isEqualTo("lost");
        assertThat(state(job)).isEqualTo("leased");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_history"))
                .isZero();

        assertThat(complete(job, token)).isTrue();
        assertThat(complete(job, token)).as("once").isFalse();
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', state, attempts, payload) FROM oneroof.v_job WHERE job_id = '" + job
                                + "'"))
                .isEqualTo("succeeded 2 {\"ref\": \"a\"}");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
    }

    @Test
    void triesAgainAfterAGrowingPauseAndGivesUpInTheEnd() {
        String job = enqueue("'mark_file', p_idempotency_key => 'k', p_priority => 7");
        for (int attempt = 1; attempt <= 3; attempt++) {
            String token = token("ARRAY['mark_file']");
            String outcome = value(
                    "fn_job_fail('%s', '%s', 'java.io.IOException', 'file 4711 of \"ann\" is gone') ->> 'outcome'",
                    job, token);
            assertThat(outcome).isEqualTo(attempt < 3 ? "retry" : "dead");
            if (attempt < 3) {
                assertThat(database.value(
                                Double.class,
                                "SELECT extract(epoch FROM scheduled_at - now())::float8 FROM oneroof.job_queue"))
                        .isBetween(attempt == 1 ? 75.0 : 155.0, attempt == 1 ? 121.0 : 241.0);
                due();
            }
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
        assertThat(
                        database.value(
                                String.class,
                                "SELECT concat_ws(' ', h.state, h.attempts, d.error_class, d.last_error, d.triage_status, d.priority,"
                                        + " d.idempotency_key) FROM oneroof.job_history h JOIN oneroof.job_dead_letter d USING (job_id)"))
                .isEqualTo("failed 3 java.io.IOException file 4711 of \"ann\" is gone new 7 k");
    }

    @Test
    void tellsFailuresApartByWhatTheyHaveInCommon() {
        assertThat(fingerprint("java.io.IOException", "file 4711 of 'ann' is gone"))
                .isEqualTo(fingerprint("java.io.IOException", "file 12 of 'bob' is gone"))
                .isNotEqualTo(fingerprint("java.io.IOException", "disk 12 of 'bob' is gone"))
                .isNotEqualTo(fingerprint("java.lang.Error", "file 4711 of 'ann' is gone"));
        assertThat(fingerprint("x", "job " + UUID.randomUUID() + " at 0x1f"))
                .isEqualTo(fingerprint("x", "job " + UUID.randomUUID() + " at 0x1f"));
    }

    /** Acceptance of phase 2: the reaper, proven on a leased row that was aged by hand. */
    @Test
    void acceptanceOfPhase2TheReaperTakesBackALeaseThatHasRunOut() {
        String job = enqueue("'mark_file'");
        token("ARRAY['mark_file']");
        assertThat(value("fn_job_lease_reaper()::text")).contains("\"reaped\": 0");
        try (Sql sql = database.sql()) {
            sql.run("BEGIN");
            sql.run("UPDATE oneroof.job_queue SET lease_until = now() - interval '1 hour'");
            assertThat(sql.value(String.class, "SELECT oneroof.fn_job_lease_reaper()::text"))
                    .contains("\"reaped\": 1", "\"retry\": 1");
            assertThat(sql.value(String.class, "SELECT oneroof.fn_job_lease_reaper()::text"))
                    .contains("\"reaped\": 0");
            assertThat(sql.value(
                            String.class,
                            "SELECT concat_ws(' ', state, attempts, lease_owner, lease_token, scheduled_at > now() + interval '70 s')"
                                    + " FROM oneroof.job_queue"))
                    .isEqualTo("scheduled 1 t");
            sql.run("ROLLBACK");
        }
        assertThat(state(job)).isEqualTo("leased");
    }

    @Test
    void reapsAPoisonJobIntoADeadLetterAndOneThatIsToBeCancelledIntoTheHistory() {
        String poison = enqueue("'mark_file', p_max_attempts => 1");
        String unwanted = enqueue("'mark_file'");
        lease("ARRAY['mark_file']", 10);
        assertThat(value("fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'", unwanted))
                .isEqualTo("requested");
        expire();

        assertThat(value("fn_job_lease_reaper(10)::text")).contains("\"dead\": 1", "\"cancelled\": 1");
        assertThat(state(poison)).isEqualTo("failed");
        assertThat(state(unwanted)).isEqualTo("cancelled");
        assertThat(database.value(String.class, "SELECT error_class FROM oneroof.job_dead_letter"))
                .isEqualTo("lease_expired");
    }

    @Test
    void leasesThatRanOutAreOfOneGroupWhoeverTakesThemBack() {
        for (String reaper : List.of("ann", "my-executor")) {
            enqueue("'mark_file', p_max_attempts => 1");
            lease("ARRAY['mark_file']", 1);
            expire();
            value("fn_job_lease_reaper(10, '%s')::text", reaper);
        }
        assertThat(database.value(
                        String.class,
                        "SELECT count(*) || ' ' || count(DISTINCT fingerprint) FROM oneroof.job_dead_letter"))
                .isEqualTo("2 1");
    }

    /** Acceptance of phase 2: the replay, proven on a row that was triaged for it. */
    @Test
    void acceptanceOfPhase2AReplayIsRefusedUnlessTriagedAndMakesAFreshJob() {
        String job = dead();
        String letter = database.value(String.class, "SELECT dead_letter_id::text FROM oneroof.job_dead_letter");
        gate("queue.replay.enabled", true);
        assertThatThrownBy(() -> value("fn_job_dead_letter_replay('%s', 'ticket 7')::text", letter))
                .hasMessageContaining("is new; allowed is a replay of one that was triaged as manual_replay");
        value("fn_job_dead_letter_triage('%s', 'investigating', 'a look', 'ann')::text", letter);
        assertThatThrownBy(() -> value("fn_job_dead_letter_replay('%s', 'ticket 7')::text", letter))
                .hasMessageContaining("is investigating");
        value("fn_job_dead_letter_triage('%s', 'manual_replay', 'mended', 'ann')::text", letter);
        gate("queue.replay.enabled", false);
        assertThatThrownBy(() -> value("fn_job_dead_letter_replay('%s', 'ticket 7')::text", letter))
                .hasMessageContaining("'queue.replay.enabled' is closed");
        gate("queue.replay.enabled", true);

        String fresh = value("fn_job_dead_letter_replay('%s', 'ticket 7', 'bob') ->> 'job_id'", letter);

        assertThat(fresh).isNotEqualTo(job);
        assertThat(
                        database.value(
                                String.class,
                                "SELECT concat_ws(' ', state, attempts, max_attempts, payload, idempotency_key <> 'k') FROM oneroof.job_queue"))
                .isEqualTo("queued 0 1 {\"ref\": \"a\"} t");
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', triage_status, triaged_by, triage_note, authorization_source, replayed_as = '%s',"
                                        .formatted(fresh)
                                + " resolved_at IS NOT NULL) FROM oneroof.job_dead_letter"))
                .isEqualTo("closed bob replayed ticket 7 t t");
        assertThatThrownBy(() -> value("fn_job_dead_letter_replay('%s', 'ticket 7')::text", letter))
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> value("fn_job_dead_letter_triage('%s', 'investigating', '', 'ann')::text", letter))
                .hasMessageContaining("is closed");
    }

    @Test
    void replaysBesideAJobThatBearsTheOldKeyByNow() {
        dead();
        gate("queue.replay.enabled", true);
        enqueue("'mark_file', p_idempotency_key => 'k'");
        String letter = database.value(String.class, "SELECT dead_letter_id::text FROM oneroof.job_dead_letter");
        value("fn_job_dead_letter_triage('%s', 'manual_replay', 'mended', 'ann')::text", letter);
        value("fn_job_dead_letter_replay('%s', 'ticket 7')::text", letter);

        assertThat(database.value(Long.class, "SELECT count(DISTINCT idempotency_key) FROM oneroof.job_queue"))
                .isEqualTo(2);
    }

    @Test
    void leasesNoMoreOfAKindThanItsLimitUntilTheReaperHasBeenThere() {
        database.run("SELECT oneroof.fn_job_kind_register('single', p_max_running => 1)");
        enqueue("'single'");
        enqueue("'single'");
        List<String> first = lease("ARRAY['single', 'mark_file']", 10);
        assertThat(first).hasSize(1);
        assertThat(lease("ARRAY['single']", 10)).isEmpty();
        expire();
        assertThat(lease("ARRAY['single']", 10))
                .as("its holder may still extend it")
                .isEmpty();

        database.run("SELECT oneroof.fn_job_lease_reaper()");
        assertThat(lease("ARRAY['single']", 10)).hasSize(1).doesNotContainAnyElementsOf(first);
    }

    @Test
    void doesNotCountALimitByAnOldSnapshot() {
        assertThatThrownBy(() -> {
                    try (Sql sql = database.sql()) {
                        sql.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
                        sql.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
                    }
                })
                .hasMessageContaining("isolation: 'repeatable read' is not allowed; allowed is read committed");
    }

    @Test
    void doesNotKeepOtherKindsWaitingForOneThatIsPausedOrAtItsLimit() {
        database.run("SELECT oneroof.fn_job_kind_register('single', p_max_running => 1)");
        database.run("SELECT oneroof.fn_job_enqueue(k, p_scheduled_at => now() - interval '1 hour')"
                + " FROM unnest(ARRAY['single', 'mark_file']) k, generate_series(1, 20)");
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        String other = enqueue("'other'");

        assertThat(lease("ARRAY['single', 'mark_file', 'other']", 10))
                .hasSize(2)
                .contains(other);
    }

    /** Not in the order of their names: then one that always has enough would keep the next from ever being leased. */
    @Test
    void sharesWhatAKindAtItsRateLeavesInTheOrderOfTheJobs() {
        database.run("SELECT oneroof.fn_job_kind_register('mail', p_rate_count => 1, p_rate_seconds => 3600),"
                + " oneroof.fn_job_kind_register('a'), oneroof.fn_job_kind_register('b')");
        database.run("SELECT oneroof.fn_job_enqueue('mail', p_scheduled_at => now() - interval '1 hour')"
                + " FROM generate_series(1, 100)");
        String waits = enqueue("'b', p_scheduled_at => now() - interval '30 minutes'");
        database.run("SELECT oneroof.fn_job_enqueue('a') FROM generate_series(1, 20)");

        assertThat(lease("ARRAY['mail', 'a', 'b']", 10)).hasSize(10).contains(waits);
        assertThat(
                        database.value(
                                String.class,
                                "SELECT string_agg(job_kind, ',' ORDER BY job_kind) FROM oneroof.job_queue WHERE state = 'leased'"))
                .isEqualTo("a,a,a,a,a,a,a,a,b,mail");
    }

    @Test
    void servesTheOthersBehindSeveralKindsAtTheirLimits() {
        database.run("SELECT oneroof.fn_job_kind_register(k, p_max_running => 1) FROM unnest('{x,y,z}'::text[]) k");
        database.run("SELECT oneroof.fn_job_enqueue(k, p_scheduled_at => now() - interval '1 hour' * h)"
                + " FROM (VALUES ('x', 4), ('y', 3), ('z', 2)) k (k, h), generate_series(1, 20)");
        String waits = enqueue("'other', p_scheduled_at => now() - interval '1 hour'");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 20)");

        assertThat(lease("ARRAY['mark_file', 'other', 'x', 'y', 'z']", 5))
                .hasSize(5)
                .contains(waits);
        assertThat(lease("ARRAY['mark_file', 'other', 'x', 'y', 'z']", 5))
                .as("all three are at their limit")
                .hasSize(5);
    }

    /** What the one at its limit leaves is the others' only as far as the caller wants of them. */
    @Test
    void leasesNoMoreOfAKindThanTheCallerWantsWhereAnotherIsAtItsLimit() {
        database.run("SELECT oneroof.fn_job_kind_register('single', p_max_running => 1)");
        database.run("SELECT oneroof.fn_job_enqueue(k, p_scheduled_at => now() - interval '1 hour')"
                + " FROM unnest(ARRAY['single', 'mark_file']) k, generate_series(1, 20)");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT job_kind FROM oneroof.fn_job_lease(ARRAY['single', 'mark_file'], 10, 'me', NULL,"
                                + " ARRAY[5, 3]) ORDER BY job_kind"))
                .containsExactly("mark_file", "mark_file", "mark_file", "single");
    }

    @Test
    void leasesNothingBehindAGateThatHasExpiredOrIsMissing() {
        enqueue("'mark_file'");
        enqueue("'other'");
        List<String> kinds = List.of("ARRAY['mark_file']", "ARRAY['mark_file', 'other']");
        String gate = "oneroof.dot_config %s WHERE key = 'queue.jobs.enabled'";
        for (String closed : List.of(
                "UPDATE " + gate.formatted("SET value = 'false'"),
                "UPDATE " + gate.formatted("SET value = 'true', expires_at = now() - interval '1 s'"),
                "DELETE FROM " + gate.formatted(""))) {
            database.run(closed);
            assertThat(kinds)
                    .as(closed)
                    .allSatisfy(some -> assertThat(lease(some, 10)).isEmpty());
        }
    }

    @Test
    void leasesNothingWhereOneOfTheKindsIsNotKnown() {
        enqueue("'mark_file'");
        assertThatThrownBy(() -> lease("ARRAY['mark_file', 'zzz', 'nothing']", 10))
                .hasMessageContaining("kind: 'zzz' is not registered");
        gate("queue.jobs.enabled", false);
        assertThatThrownBy(() -> lease("ARRAY['mark_file', 'zzz', 'nothing']", 10))
                .hasMessageContaining("kind: 'zzz' is not registered");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'leased'"))
                .isEqualTo(0);
    }

    /** A cursor that stays open would keep what it has read, until its transaction ends. */
    @Test
    void leavesNoCursorOpen() {
        enqueue("'mark_file'");
        try (Sql sql = database.sql()) {
            sql.run("BEGIN");
            for (boolean open : List.of(true, false)) {
                sql.run("UPDATE oneroof.dot_config SET value = '%s' WHERE key = 'queue.jobs.enabled'".formatted(open));
                sql.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file', 'other'], 10, 'me')");
                assertThat(sql.list(row -> row.getString(1), "SELECT statement FROM pg_cursors WHERE name <> ''"))
                        .isEmpty();
            }
            sql.run("ROLLBACK");
        }
    }

    @Test
    void cancelsWhatItsHolderSnoozesOrHandsBack() {
        String snoozed = enqueue("'mark_file'");
        String token = token("ARRAY['mark_file']");
        value("fn_job_cancel('%s', 'not needed', 'ann')::text", snoozed);
        assertThat(value("fn_job_snooze('%s', '%s', 60)::text", snoozed, token)).isEqualTo("true");
        assertThat(state(snoozed)).isEqualTo("cancelled");
        String handed = enqueue("'mark_file'");
        token = token("ARRAY['mark_file']");
        value("fn_job_cancel('%s', 'not needed', 'ann')::text", handed);
        value("fn_job_hand_back(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[])::text", handed, token);
        assertThat(state(handed)).isEqualTo("cancelled");
    }

    @Test
    void doesNotWaitToExtendAJobThatSomebodyIsChanging() {
        String job = enqueue("'mark_file'");
        String token = token("ARRAY['mark_file']");
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT oneroof.fn_job_cancel('%s', 'not needed', 'ann')".formatted(job));
            assertThat(database.value(
                            String.class,
                            "SELECT verdict FROM oneroof.fn_job_extend(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[], 60)"
                                    .formatted(job, token)))
                    .isEqualTo("busy");
            open.run("ROLLBACK");
        }
    }

    /** Jobs of a key that end as quickly as they are enqueued: an enqueue that says it is new has made one. */
    @Test
    void losesNoJobOfAKeyThatEndsWhileItIsEnqueued() throws InterruptedException {
        Thread worker = Thread.ofPlatform().start(() -> {
            try (Sql sql = database.sql()) {
                for (int n = 0; n < 400; n++) {
                    sql.run("SELECT oneroof.fn_job_complete(job_id, lease_token)"
                            + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me')");
                }
            }
        });
        long created = 0;
        try (Sql sql = database.sql()) {
            while (worker.isAlive()) {
                created += sql.value(
                        Long.class,
                        "SELECT (oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'k') ->> 'created')::boolean::int::bigint");
            }
        }
        worker.join();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.v_job"))
                .isEqualTo(created);
    }

    @Test
    void leasesNoMoreOfAKindThanItsRateAllows() {
        database.run("SELECT oneroof.fn_job_kind_register('slow', p_rate_count => 2, p_rate_seconds => 3600)");
        database.run("SELECT oneroof.fn_job_enqueue('slow') FROM generate_series(1, 5)");
        assertThat(lease("ARRAY['slow']", 10)).hasSize(2);
        assertThat(lease("ARRAY['slow']", 10)).isEmpty();
        database.run("UPDATE oneroof.job_kind_rate SET refilled_at = refilled_at - interval '30 minutes 10 s'");
        assertThat(lease("ARRAY['slow']", 10)).hasSize(1);
        database.run("UPDATE oneroof.job_kind_rate SET refilled_at = now() + interval '1 day'");
        assertThat(lease("ARRAY['slow']", 10)).as("the clock went back").isEmpty();
        database.run("UPDATE oneroof.job_kind_rate SET refilled_at = refilled_at - interval '30 minutes 10 s'");
        assertThat(lease("ARRAY['slow']", 10)).as("it is filled from then on").hasSize(1);
    }

    @Test
    void looksAtNothingBelowAFloor() {
        enqueue("'mark_file', p_scheduled_at => now() - interval '2 hours'");
        String above = enqueue("'mark_file', p_scheduled_at => now() - interval '1 hour'");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT job_id::text FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me', NULL, NULL,"
                                + " ARRAY[now() - interval '90 minutes'])"))
                .containsExactly(above);
    }

    /** For a keeper that looks often: what it leaves is found by who looks at all. */
    @Test
    void takesBackAndPromotesNothingFromBeforeATime() {
        enqueue("'mark_file'");
        enqueue("'other'");
        lease("ARRAY['mark_file']", 1);
        lease("ARRAY['other']", 1);
        database.run("UPDATE oneroof.job_queue SET lease_until = now() - CASE job_kind"
                + " WHEN 'other' THEN interval '5 seconds' ELSE interval '1 minute' END");
        String since = "now() - interval '30 seconds'";
        assertThat(value("fn_job_lease_reaper(10, 'me', %s)::text", since)).contains("\"reaped\": 1");
        assertThat(database.value(String.class, "SELECT job_kind FROM oneroof.job_queue WHERE state = 'leased'"))
                .isEqualTo("mark_file");
        assertThat(value("fn_job_lease_reaper(10, 'me')::text")).contains("\"reaped\": 1");

        database.run("UPDATE oneroof.job_queue SET scheduled_at = now() - CASE job_kind"
                + " WHEN 'other' THEN interval '5 seconds' ELSE interval '1 minute' END");
        assertThat(value("fn_job_promote(10, true, %s)::text", since)).isEqualTo("1");
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_job_until_due(" + since + ") IS NULL"))
                .isTrue();
        assertThat(value("fn_job_until_due()::text")).startsWith("-60");
        assertThat(value("fn_job_promote()::text")).isEqualTo("1");
    }

    @Test
    void cancelsAtOnceWhatNobodyWorksOn() {
        String waiting = enqueue("'mark_file', p_scheduled_at => now() + interval '1 hour'");
        assertThat(value("fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'", waiting))
                .isEqualTo("cancelled");
        assertThat(value("fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'", waiting))
                .isEqualTo("ended");
        assertThat(value("fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'", UUID.randomUUID()))
                .isEqualTo("unknown");
        assertThat(database.value(String.class, "SELECT last_error FROM oneroof.v_job"))
                .isEqualTo("cancelled by ann: not needed");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act WHERE act = 'job_cancel'"))
                .isEqualTo(1);
    }

    @Test
    void tellsTheHolderThatTheJobIsToBeGivenUp() {
        String job = enqueue("'mark_file'");
        String token = token("ARRAY['mark_file']");
        value("fn_job_cancel('%s', 'not needed', 'ann') ->> 'outcome'", job);

        assertThat(database.value(
                        String.class,
                        "SELECT verdict FROM oneroof.fn_job_extend(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[], 60)"
                                .formatted(job, token)))
                .isEqualTo("cancel");
        assertThat(value("fn_job_give_up('%s', '%s', 'as asked')::text", job, token))
                .isEqualTo("true");
        assertThat(database.value(String.class, "SELECT state || ' ' || last_error FROM oneroof.v_job"))
                .isEqualTo("cancelled cancelled by ann: not needed");
    }

    @Test
    void snoozesAndHandsBackWithoutCountingAnAttempt() {
        String job = enqueue("'mark_file'");
        String token = token("ARRAY['mark_file']");
        assertThat(value("fn_job_snooze('%s', '%s', 3600)::text", job, token)).isEqualTo("true");
        assertThat(state(job)).isEqualTo("scheduled");
        due();
        token = token("ARRAY['mark_file']");
        assertThat(value("fn_job_hand_back(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[])::text", job, token))
                .isEqualTo("1");
        assertThat(database.value(String.class, "SELECT state || ' ' || attempts FROM oneroof.job_queue"))
                .isEqualTo("queued 0");
    }

    @Test
    void keepsWhatTheHolderSays() {
        String job = enqueue("'mark_file'");
        String token = token("ARRAY['mark_file']");
        assertThat(value("fn_job_say('%s', '%s', 'half of it', 'info', 50)::text", job, token))
                .isEqualTo("true");
        assertThat(database.value(
                        String.class, "SELECT concat_ws(' ', attempt, level, line, percent) FROM oneroof.job_log"))
                .isEqualTo("1 info half of it 50");
        assertThatThrownBy(() -> value("fn_job_say('%s', '%s', 'x', 'info', 101)::text", job, token))
                .hasMessageContaining("percent: '101' is not allowed; allowed are 0 to 100");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'nothing'                                            | kind 'nothing' is not registered
            NULL                                                 | kind '' is not registered
            'mark_file', '{"body": "x"}'                         | is no signal
            'mark_file', '{"a": [{"b": {"password": 1}}]}'       | is no signal: its key 'a[0].b.password' is one of those
            'mark_file', '[1]'                                   | is no signal
            'mark_file', NULL                                    | is no signal
            'mark_file', concat(repeat('{"a": ', 101), 1, repeat('}', 101))::jsonb | at most 8192 bytes and 100 levels
            'mark_file', jsonb_build_object('a', repeat('x', 9000)) | is no signal
            'mark_file', p_priority => -1                        | priority '-1' is not allowed; allowed are 0 to 100
            'mark_file', p_priority => 101                       | priority '101' is not allowed
            'mark_file', p_max_attempts => 0                     | max_attempts '0' is not allowed; allowed are 1 to 1000
            'mark_file', p_scheduled_at => 'infinity'            | scheduled_at 'infinity' is not allowed
            'mark_file', p_idempotency_key => ''                 | of 0 bytes is not allowed; allowed are 1 to 500 bytes
            'mark_file', p_idempotency_key => repeat('k', 10240) | of 10240 bytes is not allowed
            'mark_file', '{"a": "\\u0000"}'                      | unsupported Unicode
            """)
    void refusesABadJobAndSaysWhatIsAllowed(String arguments, String message) {
        assertThatThrownBy(() -> enqueue(arguments)).hasMessageContaining(message);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fn_job_kind_register('Bad')|kind: 'Bad' is not allowed",
                "fn_job_kind_register('a', p_max_attempts => 0)|max_attempts: '0' is not allowed; allowed are 1 to 1000",
                "fn_job_kind_register('a', p_rate_count => 1)|rate_count: '1' is not allowed",
                "fn_job_kind_register('a', p_lease_seconds => 0)|lease_seconds: '0' is not allowed",
                "fn_job_kind_register('a', p_max_running => 0)|max_running: '0' is not allowed",
                "fn_job_kind_register('a', p_first_backoff_seconds => 'NaN')|first_backoff_seconds: 'NaN' is not allowed",
                "fn_job_lease(ARRAY['mark_file'], 0, 'me')|limit: '0' is not allowed; allowed are 1 to 10000",
                "fn_job_lease(ARRAY['mark_file'], 1, '')|owner: '' is not allowed",
                "fn_job_lease(ARRAY['mark_file'], 1, 'me', 4000)|lease_seconds: '4000' is not allowed",
                "fn_job_lease(ARRAY['nothing'], 1, 'me')|kind: 'nothing' is not registered",
                "fn_job_lease_reaper(0)|batch_limit: '0' is not allowed",
                "fn_job_snooze(gen_random_uuid(), gen_random_uuid(), -1)|seconds: '-1' is not allowed",
                "fn_job_cancel(gen_random_uuid(), ' ', 'ann')|reason: '' is not allowed",
                "fn_job_dead_letter_triage(gen_random_uuid(), 'new', '', 'ann')|triage_status: 'new' is not allowed",
                "fn_job_dead_letter_replay(gen_random_uuid(), '')|authorization_source: '' is not allowed",
                "fn_job_partitions_drop(interval '1 hour')|keep: '01:00:00' is not allowed"
            })
    void refusesBadArgumentsAndSaysWhatIsAllowed(String callAndMessage) {
        int bar = callAndMessage.indexOf('|');
        assertThatThrownBy(() -> database.run("SELECT oneroof." + callAndMessage.substring(0, bar)))
                .hasMessageContaining(callAndMessage.substring(bar + 1));
    }

    @Test
    void keepsEndedJobsByDaysAndDropsOldOnes() {
        database.run("CREATE TABLE oneroof.job_history_20200101 PARTITION OF oneroof.job_history"
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");
        assertThat(database.list(row -> row.getString(1), "SELECT oneroof.fn_job_partitions_drop(interval '7 days')"))
                .containsExactly("job_history_20200101");
        assertThat(database.value(Integer.class, "SELECT oneroof.fn_job_partitions_ensure(30)"))
                .isGreaterThan(40);
        assertThat(database.value(Integer.class, "SELECT oneroof.fn_job_partitions_ensure(30)"))
                .isZero();
        String job = enqueue("'mark_file'");
        complete(job, token("ARRAY['mark_file']"));
        assertThat(database.value(String.class, "SELECT tableoid::regclass::text FROM oneroof.job_history"))
                .matches("(oneroof\\.)?job_history_\\d{8}");
    }

    @Test
    void showsWhatWaitsInThePane() {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '10 minutes')"
                + " FROM generate_series(1, 3)");
        dead();
        assertThat(pane("backlog_job_queue", "mark_file")).isEqualTo("3 stale behind");
        assertThat(pane("backlog_job_queue", "other")).isEqualTo("0 fresh quiet");
        assertThat(pane("dead_letter_job", "mark_file")).isEqualTo("1 open");
        gate("queue.jobs.enabled", false);
        assertThat(pane("backlog_job_queue", "mark_file")).isEqualTo("3 stale held");
    }

    /** An executor sees a payload only as the result of its lease; anybody else sees nothing. */
    @Test
    void letsAnExecutorLeaseExtendAndEndAndNothingElse() {
        String job = enqueue("'mark_file', '{\"ref\": \"a\"}'");
        try (Sql executor = database.sql()) {
            executor.run("SET ROLE dot_executor");
            assertThat(executor.value(
                            String.class,
                            "SELECT payload::text FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'psql')"))
                    .isEqualTo("{\"ref\": \"a\"}");
            String token = database.value(String.class, "SELECT lease_token::text FROM oneroof.job_queue");
            assertThat(executor.value(
                            String.class,
                            "SELECT verdict FROM oneroof.fn_job_extend(ARRAY['%s']::uuid[], ARRAY['%s']::uuid[], 60)"
                                    .formatted(job, token)))
                    .isEqualTo("held");
            for (String denied : List.of(
                    "SELECT * FROM oneroof.job_queue",
                    "SELECT * FROM oneroof.v_job",
                    "SELECT * FROM oneroof.job_history",
                    "SELECT * FROM oneroof.job_log",
                    "SELECT * FROM oneroof.job_dead_letter",
                    "SELECT oneroof.fn_job_enqueue('mark_file')",
                    "SELECT oneroof.fn_job_cancel('%s', 'x', 'y')".formatted(job),
                    "SELECT oneroof.fn_job_kind_register('x')",
                    "SELECT oneroof.fn_job_dead_letter_replay('%s', 'x')".formatted(job),
                    "SELECT oneroof.fn_job_retire('%s', 'cancelled', 1, 'x')".formatted(job),
                    "UPDATE oneroof.job_queue SET state = 'queued'")) {
                assertThatThrownBy(() -> executor.run(denied)).as(denied).hasMessageContaining("permission denied");
            }
            assertThat(executor.value(
                            Boolean.class, "SELECT oneroof.fn_job_complete('%s', '%s')".formatted(job, token)))
                    .isTrue();
        }
        try (Sql anybody = database.sql()) {
            anybody.run("SET ROLE pg_monitor");
            assertThatThrownBy(() -> anybody.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'x')"))
                    .hasMessageContaining("permission denied");
        }
    }

    private String pane(String source, String subject) {
        return database.value(
                String.class,
                "SELECT concat_ws(' ', count, status_hint, state) FROM oneroof.v_queue_health WHERE source = '%s' AND subject = '%s'"
                        .formatted(source, subject));
    }

    /** A job of its own that has become a dead letter. */
    private String dead() {
        String job = enqueue(
                "'mark_file', '{\"ref\": \"a\"}', p_idempotency_key => 'k', p_max_attempts => 1, p_priority => 100");
        String token = database.value(
                String.class, "SELECT lease_token::text FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
        assertThat(value("fn_job_fail('%s', '%s', 'x', 'y') ->> 'outcome'", job, token))
                .isEqualTo("dead");
        return job;
    }

    private String enqueue(String arguments) {
        return database.value(String.class, "SELECT oneroof.fn_job_enqueue(%s) ->> 'job_id'".formatted(arguments));
    }

    private List<String> lease(String kinds, int limit) {
        return database.list(
                row -> row.getString(1),
                "SELECT job_id::text FROM oneroof.fn_job_lease(%s, %d, 'me') ORDER BY order_at"
                        .formatted(kinds, limit));
    }

    private String token(String kinds) {
        return database.value(
                String.class, "SELECT lease_token::text FROM oneroof.fn_job_lease(%s, 1, 'me')".formatted(kinds));
    }

    private boolean complete(String job, String token) {
        return value("fn_job_complete('%s', '%s')::text", job, token).equals("true");
    }

    @SuppressWarnings("AnnotateFormatMethod") // that annotation is of a library we have no other use for
    private String value(String call, Object... arguments) {
        return database.value(String.class, "SELECT oneroof." + call.formatted(arguments));
    }

    private String state(String job) {
        return database.value(String.class, "SELECT state FROM oneroof.v_job WHERE job_id = '%s'".formatted(job));
    }

    private String fingerprint(String errorClass, String message) {
        return database.value(
                String.class,
                "SELECT oneroof.fn_job_fingerprint('k', '%s', '%s')".formatted(errorClass, message.replace("'", "''")));
    }

    private void gate(String key, boolean open) {
        database.run("UPDATE oneroof.dot_config SET value = '%s' WHERE key = '%s'".formatted(open, key));
    }

    private void expire() {
        database.run("UPDATE oneroof.job_queue SET lease_until = now() - interval '1 s' WHERE state = 'leased'");
    }

    private void due() {
        database.run("UPDATE oneroof.job_queue SET scheduled_at = now(), order_at = now() WHERE state = 'scheduled'");
    }
}
