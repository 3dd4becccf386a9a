package dev.oneroof.core.schedule;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored, with its counters.
 *
 * @param version changes with every definition
 */
public record ScheduleView(
        String name,
        long version,
        String kind,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Integer everySeconds,
        @Nullable Instant firstDueAt,
        String catchUp,
        boolean overlaps,
        String payload,
        int priority,
        @Nullable Integer maxAttempts,
        @Nullable Instant nextDueAt,
        @Nullable Instant lastDueAt,
        @Nullable Instant lastFiredAt,
        @Nullable String lastJob,
        long fired,
        long missed,
        long overlapped,
        @Nullable Pause pause,
        Instant seenAt) {
    /**
     * The actor, reason and time of a pause.
     *
     * @param stopped whether the keeper paused it because it cannot be fired
     */
    public record Pause(String actor, String reason, Instant at, boolean stopped) {}

    static ScheduleView of(ResultSet row) throws SQLException {
        DueSchedule.StoredRecurrence stored = DueSchedule.StoredRecurrence.of(row);
        int attempts = row.getInt("max_attempts");
        Instant paused = DueSchedule.instant(row, "paused_at");
        Instant seen = DueSchedule.instant(row, "seen_at");
        return new ScheduleView(
                row.getString("schedule_name"),
                row.getLong("version"),
                row.getString("job_kind"),
                stored.cron(),
                stored.zone(),
                stored.everySeconds() == 0 ? null : stored.everySeconds(),
                stored.first(),
                row.getString("catch_up"),
                row.getBoolean("may_overlap"),
                row.getString("payload"),
                row.getInt("priority"),
                attempts == 0 ? null : attempts,
                DueSchedule.instant(row, "next_due_at"),
                DueSchedule.instant(row, "last_due_at"),
                DueSchedule.instant(row, "last_fired_at"),
                row.getString("last_job_id"),
                row.getLong("fired"),
                row.getLong("missed"),
                row.getLong("overlapped"),
                paused == null
                        ? null
                        : new Pause(
                                row.getString("pause_actor"),
                                row.getString("pause_reason"),
                                paused,
                                row.getBoolean("is_stopped")),
                seen == null ? Instant.EPOCH : seen);
    }

    public Recurrence recurrence() {
        return new DueSchedule.StoredRecurrence(cron, zone, everySeconds == null ? 0 : everySeconds, firstDueAt)
                .parse();
    }
}
