package dev.oneroof.core.finding;

import dev.oneroof.postgres.Tx;

/** Findings, in {@code system_issues}. */
public final class FindingStore {
    private static final String RAISE = """
            SELECT oneroof.fn_finding_raise(
                :type, :key, :summary, CAST(:evidence AS jsonb), CAST(NULL AS text), CAST(:count AS bigint))
            """;

    private static final String RESOLVE = "SELECT oneroof.fn_finding_resolve(:type, :key)";

    private static final String IS_OPEN = """
            SELECT EXISTS (
                SELECT
                FROM oneroof.system_issues
                WHERE issue_type = :type AND coalesce_key = :key AND status <> 'resolved')
            """;

    public boolean isOpen(Tx tx, FindingType type, String key) {
        return tx.query(IS_OPEN)
                .bind("type", type.sql())
                .bind("key", key)
                .mapTo(Boolean.class)
                .one();
    }

    /** Raises the finding, or counts up the one that is open. */
    public void raise(Tx tx, Finding finding) {
        tx.query(RAISE)
                .bind("type", finding.type().sql())
                .bind("key", finding.key())
                .bind("summary", finding.summary())
                .bind("evidence", finding.evidenceJson())
                .bind("count", finding.count())
                .mapTo(Long.class)
                .one();
    }

    /** Resolves the finding, as its condition is over; false when none was open. */
    public boolean resolve(Tx tx, FindingType type, String key) {
        return tx.query(RESOLVE)
                        .bind("type", type.sql())
                        .bind("key", key)
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }
}
