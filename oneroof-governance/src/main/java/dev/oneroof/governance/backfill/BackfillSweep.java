package dev.oneroof.governance.backfill;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Batch;
import dev.oneroof.core.tail.BatchEffect;
import dev.oneroof.core.tail.Page;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.Watermark;
import dev.oneroof.database.Tx;

/**
 * {@code gov_backfill_sweep}: makes a candidate of every birth. A page is read, turned and inserted by one statement,
 * so that a sweep of a million rows runs close to the speed of a single INSERT. A candidate that is there already is
 * left as it is, whoever made it.
 */
public final class BackfillSweep implements BatchEffect {
    public static final String WORKER = "gov_backfill_sweep";
    public static final String GATE = "governance.gov_backfill_sweep.enabled";

    // RETURNING counts what was really inserted. The page is materialised because it is read three times.
    private static final String SEED = """
            WITH page AS MATERIALIZED (
            %s
            ), seeded AS (
                INSERT INTO oneroof.gov_candidate_state
                    (candidate_key, ruleset_version, object_type, object_ref, canonical_address,
                     source, source_system, actor_ref, occurred_at, dirty, dirty_reason, dirtied_at)
                SELECT oneroof.fn_candidate_key(canonical_address, collection_name, entity_code),
                       ruleset.version, collection_name, entity_code, canonical_address,
                       :source, source_system, actor_ref, order_ts, true, 'seeded', now()
                FROM page
                CROSS JOIN (
                    SELECT value::integer AS version
                    FROM oneroof.dot_config
                    WHERE key = 'governance.ruleset_version') ruleset
                ON CONFLICT (candidate_key, ruleset_version) DO NOTHING
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM page) AS rows_seen,
                   (SELECT count(*) FROM seeded) AS seeded,
                   last.order_ts::text AS last_ts,
                   last.order_id::text AS last_id
            FROM (SELECT order_ts, order_id FROM page ORDER BY order_ts DESC, order_id DESC LIMIT 1) last
            """;

    /** The sweep over a registered source with the columns of a birth registry. */
    public static TailSpec over(String source) {
        return new TailSpec(Scope.of(WORKER, source), "governance", "seeding", GATE, new BackfillSweep());
    }

    @Override
    public Batch apply(Tx tx, Page page) {
        String rows = page.select("collection_name, entity_code, canonical_address, source_system, actor_ref");
        return tx.query(SEED.formatted(rows))
                .bindMap(page.parameters())
                .bind("source", page.source().name())
                .map((row, context) -> new Batch(
                        row.getLong("rows_seen"),
                        row.getLong("seeded"),
                        new Watermark(row.getString("last_ts"), row.getString("last_id"))))
                .findOne()
                .orElse(Batch.EMPTY);
    }
}
