package dev.oneroof.core.liveness;

import static dev.oneroof.core.liveness.Silences.check;
import static dev.oneroof.core.liveness.Silences.events;
import static dev.oneroof.core.liveness.Silences.findings;
import static dev.oneroof.core.liveness.Silences.log;
import static dev.oneroof.core.liveness.Silences.register;
import static dev.oneroof.core.liveness.Silences.silentFor;
import static dev.oneroof.core.liveness.Silences.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody looks or works, and leaves the transaction open: no beat waits for it, and no look at others does. */
@OneRoofTest
class OpenTransactionsTest {
    private static final String TICK =
            "SET statement_timeout = '5s'; SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')";

    @Test
    void ofACheckKeepNobodyFromBeating(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        try (Sql looker = database.sql()) {
            looker.run("BEGIN");
            silentFor(database, "a", 200);
            looker.run("SELECT oneroof.fn_queue_stale_check()");

            database.run(TICK);

            assertThat(state(database, "a")).isEqualTo("quiet fresh");
            looker.run("COMMIT");
        }
        assertThat(findings(database)).as("told by the look, before the beat").containsExactly("a critical open");
        check(database);
        assertThat(findings(database)).containsExactly("a critical resolved");
        assertThat(log(database))
                .containsExactly(
                        "registered",
                        "fresh_to_stale warning 40",
                        "escalated critical 200",
                        "stale_to_fresh critical 200");
    }

    @Test
    void ofACheckWithNothingToTellHoldNothing(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        try (Sql looker = database.sql()) {
            looker.run("BEGIN");
            looker.run("SELECT oneroof.fn_queue_stale_check()");

            database.run(TICK);

            assertThat(findings(database)).containsExactly("a high resolved");
            looker.run("ROLLBACK");
        }
    }

    @Test
    void onAFindingKeepNobodyFromBeating(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            operator.run("SELECT FROM oneroof.system_issues FOR UPDATE");

            database.run(TICK);

            operator.run("COMMIT");
        }
        assertThat(findings(database)).containsExactly("a high open");
        check(database);
        assertThat(findings(database)).containsExactly("a high resolved");
        check(database);
        assertThat(log(database))
                .as("ended once, with its length")
                .containsExactly("registered", "fresh_to_stale warning 40", "stale_to_fresh warning 40");
    }

    @Test
    void onTheFindingOfOneKeepNobodyElseFromBeingTold(TestDatabase database) {
        register(database, "a", 10, 30);
        register(database, "b", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        silentFor(database, "a", 200);
        silentFor(database, "b", 40);
        StaleCheck worker = new StaleCheck(new Database(database.dataSource(), SchemaName.DEFAULT));
        Lease lease = lease(database);
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            operator.run("SELECT FROM oneroof.system_issues FOR UPDATE");

            assertThat(worker.runOnce(lease))
                    .isInstanceOfSatisfying(
                            Pass.Degraded.class,
                            ailing -> assertThat(ailing.reason())
                                    .startsWith("a could not be reported: canceling statement due to lock timeout"));

            operator.run("COMMIT");
        }
        assertThat(findings(database)).containsExactly("a high open", "b high open");
        assertThat(events(database)).hasSize(2);
        assertThat(worker.runOnce(lease)).isInstanceOf(Pass.Idle.class);
        assertThat(findings(database)).containsExactly("a critical open", "b high open");
        assertThat(events(database)).hasSize(3);
    }

    /** Of one that is gone nothing is left, however long somebody looked at it. */
    @Test
    void onTheSilenceOfOneThatIsGoneLeaveNothingBehind(TestDatabase database) {
        register(database, "a", 10, 30);
        silentFor(database, "a", 40);
        check(database);
        try (Sql operator = database.sql()) {
            operator.run("BEGIN");
            operator.run("SELECT FROM oneroof.queue_silence FOR UPDATE");
            database.run("SET statement_timeout = '5s'; SELECT oneroof.fn_queue_heartbeat_deregister('a')");
            operator.run("COMMIT");
        }

        check(database);

        assertThat(findings(database)).containsExactly("a high resolved");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.queue_silence"))
                .isZero();
    }

    /** By an older snapshot those who have beaten since would be silent. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void withAnOldSnapshotAreRefusedACheck(String isolation, TestDatabase database) {
        register(database, "a", 10, 30);
        try (Sql looker = database.sql()) {
            looker.run("BEGIN ISOLATION LEVEL " + isolation);
            assertThatThrownBy(() -> looker.run("SELECT oneroof.fn_queue_stale_check()"))
                    .hasMessageContaining(
                            "isolation: '%s' is not allowed; allowed is read committed".formatted(isolation));
            looker.run("ROLLBACK");
        }
    }

    private static Lease lease(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        LeaseStore leases = new LeaseStore();
        Scope scope = Scope.of("stale_check", "queue_heartbeat");
        Duration time = Duration.ofMinutes(1);
        db.inTx(tx -> leases.register(tx, scope, "me", time, time));
        return ((Claim.Taken) db.inTx(tx -> leases.claim(tx, scope, "me", time))).lease();
    }
}
