package dev.oneroof.core.operator;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Findings as operators see them, in {@code system_issues}. */
final class FindingViewStore {
    private static final String LIST = """
            SELECT issue_id, issue_type, coalesce_key, status, severity, bucket, route, summary, evidence::text AS evidence,
                   occurrence_count, first_seen_at, last_seen_at, muted_until, resolved_at
            FROM oneroof.system_issues
            WHERE status <> 'resolved'
            ORDER BY array_position('{critical,high,medium,low}', severity), first_seen_at, issue_id
            LIMIT :limit
            """;

    private static final String RESOLVED = """
            SELECT issue_id, issue_type, coalesce_key, status, severity, bucket, route, summary, evidence::text AS evidence,
                   occurrence_count, first_seen_at, last_seen_at, muted_until, resolved_at
            FROM oneroof.system_issues
            WHERE status = 'resolved'
            ORDER BY resolved_at DESC, issue_id DESC
            LIMIT :limit
            """;

    private static final String FIND = """
            SELECT issue_id, issue_type, coalesce_key, status, severity, bucket, route, summary, evidence::text AS evidence,
                   occurrence_count, first_seen_at, last_seen_at, muted_until, resolved_at
            FROM oneroof.system_issues
            WHERE issue_id = :id
            """;

    private static final String ACKNOWLEDGE = "SELECT oneroof.fn_finding_acknowledge(:type, :key, :reason, :actor)";

    private static final String CLOSE = "SELECT oneroof.fn_finding_close(:type, :key, :reason, :actor)";

    private static final String MUTE = """
            SELECT oneroof.fn_finding_mute(
                :type, :key, make_interval(secs => CAST(:seconds AS double precision)), :reason, :actor)
            """;

    List<FindingView> open(Tx tx, int limit) {
        return tx.query(LIST)
                .bind("limit", limit)
                .map((row, context) -> finding(row))
                .list();
    }

    List<FindingView> resolved(Tx tx, int limit) {
        return tx.query(RESOLVED)
                .bind("limit", limit)
                .map((row, context) -> finding(row))
                .list();
    }

    Optional<FindingView> find(Tx tx, long id) {
        return tx.query(FIND).bind("id", id).map((row, context) -> finding(row)).findOne();
    }

    /** False where it is resolved already. */
    boolean acknowledge(Tx tx, FindingView finding, OperatorAct by) {
        return tx.query(ACKNOWLEDGE)
                .bind("type", finding.type())
                .bind("key", finding.key())
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Boolean.class)
                .one();
    }

    /** False where it is resolved already. */
    boolean close(Tx tx, FindingView finding, OperatorAct by) {
        return tx.query(CLOSE)
                .bind("type", finding.type())
                .bind("key", finding.key())
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Boolean.class)
                .one();
    }

    /** False where it is resolved already. */
    boolean mute(Tx tx, FindingView finding, Duration time, OperatorAct by) {
        return tx.query(MUTE)
                .bind("type", finding.type())
                .bind("key", finding.key())
                .bind("seconds", time.toMillis() / 1000.0)
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Boolean.class)
                .one();
    }

    private static FindingView finding(ResultSet row) throws SQLException {
        return new FindingView(
                row.getLong("issue_id"),
                row.getString("issue_type"),
                row.getString("coalesce_key"),
                FindingView.Status.of(row.getString("status")),
                FindingView.Severity.of(row.getString("severity")),
                row.getString("bucket"),
                row.getString("route"),
                row.getString("summary"),
                row.getString("evidence"),
                row.getLong("occurrence_count"),
                row.getObject("first_seen_at", OffsetDateTime.class).toInstant(),
                row.getObject("last_seen_at", OffsetDateTime.class).toInstant(),
                instant(row, "muted_until"),
                instant(row, "resolved_at"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
