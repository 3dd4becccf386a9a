package dev.oneroof.core.schedule;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** A due schedule as it is stored. Its recurrence and its payload are not parsed yet, and may be invalid. */
record DueSchedule(
        String name,
        String kind,
        StoredRecurrence recurrence,
        CatchUp catchUp,
        boolean overlaps,
        String payload,
        int priority,
        @Nullable Integer maxAttempts,
        Instant due,
        Instant now,
        long version) {

    /** A recurrence as it is stored; the key of the parsed ones. */
    record StoredRecurrence(
            @Nullable String cron,
            @Nullable String zone,
            int everySeconds,
            @Nullable Instant first) {
        static StoredRecurrence of(ResultSet row) throws SQLException {
            return new StoredRecurrence(
                    row.getString("cron"),
                    row.getString("time_zone"),
                    row.getInt("every_seconds"),
                    instant(row, "first_due_at"));
        }

        Recurrence parse() {
            return cron == null || zone == null
                    ? new FixedInterval(Duration.ofSeconds(everySeconds), first)
                    : CronExpression.of(cron, zone);
        }
    }

    static DueSchedule of(ResultSet row) throws SQLException {
        int attempts = row.getInt("max_attempts");
        return new DueSchedule(
                row.getString("schedule_name"),
                row.getString("job_kind"),
                StoredRecurrence.of(row),
                CatchUp.of(row.getString("catch_up")),
                row.getBoolean("may_overlap"),
                row.getString("payload"),
                row.getInt("priority"),
                attempts == 0 ? null : attempts,
                row.getObject("next_due_at", OffsetDateTime.class).toInstant(),
                row.getObject("seen_at", OffsetDateTime.class).toInstant(),
                row.getLong("version"));
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
