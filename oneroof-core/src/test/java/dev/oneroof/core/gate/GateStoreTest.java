package dev.oneroof.core.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@OneRoofTest
class GateStoreTest {
    private static final String GATE = "governance.gov_backfill_sweep.enabled";

    private final GateStore gates = new GateStore();

    @Test
    void findsAFreshInstallClosedButForTheHeartbeat(TestDatabase database) {
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT key FROM oneroof.dot_config WHERE kind = 'gate' AND value = 'true'"))
                .containsExactly("queue.heartbeat.enabled");
        assertThat(isOpen(database, GATE)).isFalse();
    }

    @Test
    void takesAMissingGateForClosed(TestDatabase database) {
        assertThat(isOpen(database, "no.such.gate")).isFalse();
    }

    @Test
    void takesASettingOfThatNameForClosed(TestDatabase database) {
        database.run("UPDATE oneroof.dot_config SET kind = 'setting', value = 'true' WHERE key = ?", GATE);

        assertThat(isOpen(database, GATE)).isFalse();
    }

    @Test
    void opensWithATrailOfWhoAndWhy(TestDatabase database) {
        db(database).useTx(tx -> gates.open(tx, GATE, "ann", "the backlog is due"));

        assertThat(isOpen(database, GATE)).isTrue();
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws('|', old_value, new_value, actor, reason) FROM oneroof.dot_config_audit"
                                + " WHERE key = ? ORDER BY audit_id DESC LIMIT 1",
                        GATE))
                .containsExactly("false|true|ann|the backlog is due");
    }

    /** How long the gate of the heartbeat was closed is told by it. */
    @Test
    void tellsWhenItWasChangedAndNotWhenTheTransactionBegan(TestDatabase database) {
        db(database).useTx(tx -> {
            tx.query("SELECT pg_sleep(0.05)").mapTo(String.class).one();
            gates.open(tx, GATE, "ann", "at the end");
            assertThat(tx.query(
                                    "SELECT max(changed_at) >= now() + interval '50 milliseconds' FROM oneroof.dot_config_audit")
                            .mapTo(Boolean.class)
                            .one())
                    .isTrue();
        });
    }

    @Test
    void opensForPartsOfASecondAndForNoTimeThatIsNone(TestDatabase database) {
        db(database).useTx(tx -> {
            gates.openFor(tx, GATE, Duration.ofMillis(59_500), "ann", "a trial");
            assertThat(gates.isOpen(tx, GATE)).isTrue();
        });
        assertThat(database.value(
                        Double.class,
                        "SELECT extract(epoch FROM expires_at - updated_at)::float8 FROM oneroof.dot_config WHERE key = ?",
                        GATE))
                .isBetween(59.4, 59.6);

        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
            assertThatThrownBy(() -> db(database).useTx(tx -> gates.openFor(tx, GATE, none, "ann", "why")))
                    .hasMessageStartingWith("for: '")
                    .hasMessageEndingWith("' is not allowed; allowed is a time above zero and up to a year");
        }
    }

    @Test
    void refusesToOpenAGateThatDoesNotExist(TestDatabase database) {
        assertThatThrownBy(() -> db(database).useTx(tx -> gates.open(tx, "no.such.gate", "ann", "why")))
                .hasMessageContaining("no.such.gate");
    }

    @Test
    void takesNothingButTrueAndFalse(TestDatabase database) {
        assertThatThrownBy(() -> database.run("UPDATE oneroof.dot_config SET value = 'yes' WHERE key = ?", GATE))
                .hasMessageContaining("dot_config_gate_is_open_or_closed");
    }

    private boolean isOpen(TestDatabase database, String key) {
        return db(database).inTx(tx -> gates.isOpen(tx, key));
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
