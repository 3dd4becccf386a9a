package dev.oneroof.core.liveness;

import static dev.oneroof.core.liveness.Silences.check;
import static dev.oneroof.core.liveness.Silences.events;
import static dev.oneroof.core.liveness.Silences.findings;
import static dev.oneroof.core.liveness.Silences.gate;
import static dev.oneroof.core.liveness.Silences.log;
import static dev.oneroof.core.liveness.Silences.register;
import static dev.oneroof.core.liveness.Silences.silentFor;
import static dev.oneroof.core.liveness.Silences.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Quiet is not dead: who beats is never told of, who does not is told of once, and once more when it is bad. */
@OneRoofTest
class StaleCheckTest {
    @OnEveryServer
    void tellsASilenceOnceAndOnceMoreWhenItIsCritical(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 31);

        check(database);
        check(database);
        check(database);

        assertThat(events(database)).containsExactly("a warning alert immediate 31 10 3.1");
        assertThat(log(database)).containsExactly("registered", "fresh_to_stale warning 31");
        assertThat(findings(database)).containsExactly("a high open");
        assertThat(state(database, "a")).isEqualTo("silent stale");

        silentFor(database, "a", 100);
        check(database);
        check(database);

        assertThat(events(database))
                .containsExactly("a warning alert immediate 31 10 3.1", "a critical alert immediate 100 10 10.0");
        assertThat(log(database)).containsExactly("registered", "fresh_to_stale warning 31", "escalated critical 100");
        assertThat(findings(database)).containsExactly("a critical open");
        assertThat(state(database, "a")).isEqualTo("dead stale");
    }

    @OnEveryServer
    void endsWithTheBeatThatComesBack(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);

        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");

        assertThat(findings(database)).containsExactly("a high resolved");
        assertThat(log(database))
                .containsExactly("registered", "fresh_to_stale warning 40", "stale_to_fresh warning 40");
        assertThat(state(database, "a")).isEqualTo("quiet fresh");
        check(database);
        assertThat(events(database)).hasSize(1);
    }

    /** All instances were dead: nobody has looked, and the first beat tells of the gap all the same. */
    @OnEveryServer
    void recordsAGapThatNobodyHasSeen(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 345_600);

        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");

        assertThat(log(database)).containsExactly("registered", "stale_to_fresh critical 345600");
        assertThat(events(database)).isEmpty();
    }

    @Test
    void isNotKeptFromItByWhoHasNoRights(TestDatabase database) {
        try (Sql anybody = database.sql()) {
            anybody.run(
                    "SELECT pg_advisory_lock(c.oid::bigint) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                            + " WHERE n.nspname = 'oneroof'");
            assertThat(database.value(
                            Boolean.class,
                            "SELECT coalesce((oneroof.fn_queue_stale_check() ->> 'inert')::boolean, false)"))
                    .isFalse();
        }
    }

    @Test
    void doesNotTellAgainSoonAfterItHasTold(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        silentFor(database, "a", 40);

        check(database);

        assertThat(events(database)).as("within twice the threshold").hasSize(1);
        assertThat(findings(database)).as("raised all the same").containsExactly("a high resolved", "a high open");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        database.run("UPDATE oneroof.queue_silence SET reported_at = now() - interval '61 s'");
        silentFor(database, "a", 40);
        check(database);
        assertThat(events(database)).hasSize(2);
    }

    /** Nobody can have beaten through a closed gate. */
    @Test
    void takesNobodyForDeadWhoWasNotWatched(TestDatabase database) {
        register(database, "a", 10, 30);
        gate(database, false);
        gate(database, true);
        silentFor(database, "a", 3610);
        database.run(
                "UPDATE oneroof.dot_config_audit SET changed_at = now() - interval '1 hour' WHERE new_value = 'false'");

        check(database);

        assertThat(events(database)).isEmpty();
        assertThat(findings(database)).isEmpty();
        assertThat(state(database, "a"))
                .as("silent for ten seconds before it closed")
                .isEqualTo("quiet fresh");
        database.run("UPDATE oneroof.dot_config_audit SET changed_at = now() - interval '21 s'"
                + " WHERE old_value = 'false' AND key = 'queue.heartbeat.enabled'");
        check(database);
        assertThat(state(database, "a")).as("and twenty since it was opened").isEqualTo("silent stale");
        assertThat(events(database)).hasSize(1);
    }

    @Test
    void takesASilenceForOneThoughItWasNotWatchedForAWhile(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 3600);
        check(database);
        gate(database, false);
        check(database);
        gate(database, true);

        check(database);
        assertThat(state(database, "a")).isEqualTo("dead stale");
        assertThat(findings(database)).containsExactly("a critical open");
        assertThat(events(database)).hasSize(1);
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.queue_event_log WHERE transition = 'stale_to_fresh'"
                                + " AND gap_seconds > 3500"))
                .isEqualTo(1);
    }

    /** An executor may beat at the beginning of a long transaction of its own. */
    @Test
    void doesNotWaitForABeatThatIsNotCommitted(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        register(database, "z", 10, 30);
        silentFor(database, "z", 40);
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
            database.run("SET statement_timeout = '10s'; SELECT oneroof.fn_queue_stale_check()");
            assertThat(findings(database)).contains("z high open");
            open.run("ROLLBACK");
        }
        database.run(
                "UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '2 minutes' WHERE executor_name = 'a'");
        check(database);
        assertThat(findings(database)).contains("a critical open");
    }

    @Test
    void doesNotTakeTheDeadForAliveWhereTheClockHasGoneBack(TestDatabase database) {
        register(database, "told", 10, 30);
        silentFor(database, "told", 40);
        check(database);
        register(database, "not_yet", 10, 30);
        silentFor(database, "told", -3600);
        silentFor(database, "not_yet", -3600);
        assertThat(state(database, "not_yet")).isEqualTo("silent stale");

        check(database);

        assertThat(findings(database)).containsExactly("told high open");
        assertThat(state(database, "told")).isEqualTo("silent stale");
        assertThat(state(database, "not_yet")).as("counted from now on").isEqualTo("quiet fresh");
        silentFor(database, "not_yet", 40);
        check(database);
        assertThat(findings(database)).containsExactlyInAnyOrder("told high open", "not_yet high open");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('told', 'DOT')");
        check(database);
        assertThat(findings(database)).contains("told high resolved");
    }

    @Test
    void tellsOfASecondSilenceThatLastsWhenItsTimeHasCome(TestDatabase database) {
        register(database, "a", 1, 30);
        silentFor(database, "a", 40);
        check(database);
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        silentFor(database, "a", 40);
        check(database);
        assertThat(events(database))
                .as("critical from the beginning, and too soon")
                .hasSize(1);

        database.run("UPDATE oneroof.queue_silence SET reported_at = now() - interval '61 s'");
        check(database);
        check(database);

        assertThat(events(database)).hasSize(2);
    }

    /** A frozen process may hold the lock of its own row, in the middle of a batch. */
    @Test
    void tellsAlsoOfOneThatIsFrozenWithItsRowLocked(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        try (Sql frozen = database.sql()) {
            frozen.run("BEGIN");
            frozen.run("SELECT FROM oneroof.queue_heartbeat FOR NO KEY UPDATE");

            check(database);

            frozen.run("ROLLBACK");
        }
        assertThat(events(database)).hasSize(1);
        assertThat(findings(database)).containsExactly("a high open");
    }

    /** A beat that ends a silence and a check that tells of its growth take what they need in one order. */
    @Test
    void doesNotDeadlockWithTheBeatThatEndsASilence(TestDatabase database) throws InterruptedException {
        register(database, "a", 1, 30);
        List<String> failures = new CopyOnWriteArrayList<>();
        Thread checking = Thread.ofPlatform().start(() -> {
            for (int n = 0; n < 200; n++) {
                try {
                    check(database);
                } catch (RuntimeException e) {
                    failures.add(e.getMessage());
                }
            }
        });
        while (checking.isAlive()) {
            silentFor(database, "a", 40);
            database.run("UPDATE oneroof.queue_silence SET severity = 'warning'");
            database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        }
        checking.join();

        assertThat(failures).isEmpty();
    }

    @Test
    void goesByOneThresholdForAllWhereThatIsSet(TestDatabase database) {
        register(database, "a", 10, 30);
        register(database, "b", 10, 3000);
        silentFor(database, "a", 500);
        silentFor(database, "b", 500);
        check(database);
        assertThat(findings(database)).containsExactly("a critical open");

        database.run(
                "UPDATE oneroof.dot_config SET value = '1000' WHERE key = 'queue.heartbeat.stale_threshold_seconds'");
        check(database);
        assertThat(findings(database)).containsExactly("a critical resolved");

        database.run(
                "UPDATE oneroof.dot_config SET value = '400' WHERE key = 'queue.heartbeat.stale_threshold_seconds'");
        check(database);
        assertThat(findings(database)).containsExactly("a critical resolved", "a critical open", "b critical open");
    }

    @Test
    void neverTellsOfOneThatBeats(TestDatabase database) {
        register(database, "a", 10, 30);
        for (int look = 0; look < 20; look++) {
            silentFor(database, "a", 29);
            check(database);
            database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        }

        assertThat(events(database)).isEmpty();
        assertThat(findings(database)).isEmpty();
        assertThat(log(database)).containsExactly("registered");
    }

    @Test
    void raisesAlsoWhereTheTypeOfItsEventIsSwitchedOff(TestDatabase database) {
        database.run("SELECT oneroof.fn_event_type_deactivate('system', 'queue_worker_silent', 'ann', 'too loud')");
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);

        check(database);

        assertThat(events(database)).isEmpty();
        assertThat(findings(database)).containsExactly("a high open");
    }

    @Test
    void isDoneByOneAtATime(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        try (Sql first = database.sql()) {
            first.run("BEGIN");
            first.run("SELECT oneroof.fn_queue_stale_check()");

            check(database);

            assertThat(events(database)).isEmpty();
            first.run("COMMIT");
        }
        assertThat(events(database)).hasSize(1);
    }

    /** Told of by a clock that has gone back since: that was another silence. */
    @Test
    void tellsOfASilenceThoughTheClockHasGoneBackSinceTheLast(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')");
        database.run("UPDATE oneroof.queue_silence SET reported_at = now() + interval '1 hour'");
        silentFor(database, "a", 40);

        check(database);

        assertThat(events(database)).hasSize(2);
    }
}
