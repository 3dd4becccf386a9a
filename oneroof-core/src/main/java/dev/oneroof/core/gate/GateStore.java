package dev.oneroof.core.gate;

import dev.oneroof.database.Tx;
import dev.oneroof.database.error.ErrorCode;
import dev.oneroof.database.error.OneRoofException;

/** Gates, in {@code dot_config}. A gate that is missing or has expired is closed. */
public final class GateStore {
    private static final String IS_OPEN = "SELECT oneroof.fn_gate_open(:key)";

    private static final String SET = """
            UPDATE oneroof.dot_config
            SET value = :value, actor = :actor, reason = :reason, expires_at = NULL, updated_at = clock_timestamp()
            WHERE key = :key AND kind = 'gate'
            """;

    public boolean isOpen(Tx tx, String key) {
        return tx.query(IS_OPEN).bind("key", key).mapTo(Boolean.class).one();
    }

    /** Opens a gate until somebody closes it. The trail of who did so is written by the database. */
    public void open(Tx tx, String key, String actor, String reason) {
        int rows = tx.update(SET)
                .bind("key", key)
                .bind("value", "true")
                .bind("actor", actor)
                .bind("reason", reason)
                .execute();
        if (rows == 0) {
            throw new OneRoofException(ErrorCode.NOT_FOUND, "gate: '%s' does not exist".formatted(key));
        }
    }
}
