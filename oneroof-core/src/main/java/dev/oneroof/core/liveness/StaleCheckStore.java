package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Runs {@code fn_queue_stale_check}. */
final class StaleCheckStore {
    private static final String CHECK = """
            WITH c AS MATERIALIZED (SELECT oneroof.fn_queue_stale_check() AS found)
            SELECT c.found ->> 'reason' AS reason, coalesce(c.found ->> 'failed', '0') <> '0' AS failed
            FROM c
            """;

    // Under half the smallest threshold, so that a silence is found within a threshold and a check.
    private static final String INTERVAL = """
            SELECT least(10, greatest(0.5, min(oneroof.fn_queue_stale_threshold(stale_threshold_seconds)) / 3))
            FROM oneroof.queue_heartbeat
            """;

    /**
     * The result of a check.
     *
     * @param reason why it did not run, or what failed; null where neither is so
     */
    record Result(@Nullable String reason, boolean failed) {}

    Result check(Tx tx) {
        return tx.query(CHECK)
                .map((row, context) -> new Result(row.getString("reason"), row.getBoolean("failed")))
                .one();
    }

    /** How often to check, for the thresholds that are registered now. */
    Duration interval(Tx tx) {
        double seconds = tx.query(INTERVAL).mapTo(Double.class).one();
        return Duration.ofMillis((long) (seconds * 1000));
    }
}
