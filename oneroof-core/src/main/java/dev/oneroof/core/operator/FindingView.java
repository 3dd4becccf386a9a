package dev.oneroof.core.operator;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A finding: something that is wrong, counted for as long as it lasts.
 *
 * @param key what it is about; type and key together are one finding
 * @param route the team or queue that owns it
 * @param evidence references and figures, as a JSON object
 */
public record FindingView(
        long id,
        String type,
        String key,
        Status status,
        Severity severity,
        String bucket,
        String route,
        String summary,
        String evidence,
        long count,
        Instant firstSeenAt,
        Instant lastSeenAt,
        @Nullable Instant mutedUntil,
        @Nullable Instant resolvedAt) {
    public enum Status {
        OPEN,
        ACKNOWLEDGED,
        MUTED,
        RESOLVED;

        static Status of(String sql) {
            return valueOf(sql.toUpperCase(Locale.ROOT));
        }
    }

    public enum Severity {
        LOW,
        MEDIUM,
        HIGH,
        CRITICAL;

        static Severity of(String sql) {
            return valueOf(sql.toUpperCase(Locale.ROOT));
        }
    }
}
