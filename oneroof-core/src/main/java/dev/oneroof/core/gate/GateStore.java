package dev.oneroof.core.gate;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gates, in {@code dot_config}. A gate that is missing or has expired is closed. */
public final class GateStore {
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final String IS_OPEN = "SELECT oneroof.fn_gate_open(:key)";

    private static final String CLOSED_REASON = "SELECT oneroof.fn_gate_closed_reason(:key)";

    private static final String SET = """
            UPDATE oneroof.dot_config
            SET value = :value,
                actor = :actor,
                reason = :reason,
                expires_at = clock_timestamp() + make_interval(secs => CAST(:seconds AS double precision))
            WHERE key = :key AND kind = 'gate'
            """;

    private static final String LIST = """
            SELECT key, oneroof.fn_gate_open(key) AS open, description, actor, reason,
                   expires_at::text AS expires_at, updated_at::text AS updated_at
            FROM oneroof.dot_config
            WHERE kind = 'gate'
            ORDER BY key
            """;

    public List<Gate> list(Tx tx) {
        return tx.query(LIST)
                .map((row, context) -> new Gate(
                        row.getString("key"),
                        row.getBoolean("open"),
                        row.getString("description"),
                        row.getString("actor"),
                        row.getString("reason"),
                        row.getString("expires_at"),
                        row.getString("updated_at")))
                .list();
    }

    public boolean isOpen(Tx tx, String key) {
        return tx.query(IS_OPEN).bind("key", key).mapTo(Boolean.class).one();
    }

    /** Why the gate is closed; empty where it is open. */
    public Optional<String> whyClosed(Tx tx, String key) {
        return tx.query(CLOSED_REASON).bind("key", key).mapTo(String.class).findOne();
    }

    /** Refuses what a closed gate forbids, with the command that opens it. */
    public void demandOpen(Tx tx, String key) {
        if (!isOpen(tx, key)) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "gate: '%s' is closed; an operator opens it with: oneroof gate open %s --reason TEXT"
                            .formatted(key, key));
        }
    }

    /** Opens a gate until it is closed. The database records actor, reason and login. */
    public void open(Tx tx, String key, String actor, String reason) {
        set(tx, key, "true", null, actor, reason);
    }

    /** Opens a gate for a time, after which it closes by itself. */
    public void openFor(Tx tx, String key, Duration time, String actor, String reason) {
        if (!time.isPositive() || time.compareTo(LONGEST) > 0) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "for: '%s' is not allowed; allowed is a time above zero and up to a year"
                            .formatted(DurationText.of(time)));
        }
        set(tx, key, "true", time.toMillis() / 1000.0, actor, reason);
    }

    public void close(Tx tx, String key, String actor, String reason) {
        set(tx, key, "false", null, actor, reason);
    }

    private static void set(Tx tx, String key, String value, @Nullable Double seconds, String actor, String reason) {
        int rows = tx.update(SET)
                .bind("key", key)
                .bind("value", value)
                .bind("seconds", seconds)
                .bind("actor", actor)
                .bind("reason", reason)
                .execute();
        if (rows == 0) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "gate: '%s' does not exist; 'oneroof gate list' has those that do".formatted(key));
        }
    }
}
