package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Database;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of {@code v_queue_health}, the one place that names a state. */
public final class Health {
    private final Database db;
    private final HealthStore store = new HealthStore();

    public Health(Database db) {
        this.db = db;
    }

    /**
     * One row; a column that does not apply to its source is null.
     *
     * @param sinceSeconds for how long it has been in its state
     * @param notKnown what its state does not cover; null where it covers everything
     */
    public record Line(
            String source,
            String subject,
            @Nullable String executorName,
            @Nullable String domain,
            @Nullable String lastSeenAt,
            @Nullable Long ageSeconds,
            @Nullable Long eventsSeen,
            @Nullable Long attemptsWritten,
            @Nullable Long deadLettered,
            @Nullable Long count,
            @Nullable String statusHint,
            @Nullable String state,
            @Nullable String reason,
            @Nullable Long sinceSeconds,
            @Nullable String notKnown) {}

    public List<Line> lines() {
        return db.inTx(store::lines);
    }
}
