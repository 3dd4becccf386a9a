package dev.oneroof.core.schedule;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** A schedule whose time has come, as it is written down: whether its timetable and its payload can be read is yet to be seen. */
record DueSchedule(
        String name,
        String kind,
        Written written,
        CatchUp catchUp,
        boolean overlaps,
        String payload,
        int priority,
        @Nullable Integer maxAttempts,
        Instant due,
        Instant now,
        long version) {

    /** A timetable as it is written down; what it is made of can be looked up by it. */
    record Written(
            @Nullable String cron,
            @Nullable String zone,
            int everySeconds,
            @Nullable Instant first) {
        static Written of(ResultSet row) throws SQLException {
            return new Written(
                    row.getString("cron"),
                    row.getString("time_zone"),
                    row.getInt("every_seconds"),
                    instant(row, "first_due_at"));
        }

        Timetable read() {
            return cron == null || zone == null
                    ? new SteadyTimes(Duration.ofSeconds(everySeconds), first)
                    : CronTimes.of(cron, zone);
        }
    }

    static DueSchedule of(ResultSet row) throws SQLException {
        int attempts = row.getInt("max_attempts");
        return new DueSchedule(
                row.getString("schedule_name"),
                row.getString("job_kind"),
                Written.of(row),
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
