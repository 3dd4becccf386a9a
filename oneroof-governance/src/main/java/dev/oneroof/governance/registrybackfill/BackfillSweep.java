package dev.oneroof.governance.registrybackfill;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.BatchEffect;
import dev.oneroof.core.tail.RunSummaryFields;
import dev.oneroof.core.tail.SetEffect;
import dev.oneroof.core.tail.TailSpec;
import java.util.Map;
import java.util.Set;

/**
 * {@code gov_backfill_sweep}: makes a candidate of every birth. A candidate that is there already is left as it is,
 * whoever made it.
 */
public final class BackfillSweep {
    public static final String WORKER = "gov_backfill_sweep";
    public static final String GATE = "governance.gov_backfill_sweep.enabled";

    private static final String COLUMNS = "collection_name, entity_code, canonical_address, source_system, actor_ref";

    // Without an active ruleset the version's function fails, and the batch with it: no birth is passed over, or
    // blamed.
    private static final String SEED = """
            INSERT INTO oneroof.gov_candidate_state
                (candidate_key, ruleset_version, object_type, object_ref, canonical_address,
                 source, source_system, actor_ref, occurred_at, dirty, dirty_reason, dirtied_at)
            SELECT oneroof.fn_candidate_key(canonical_address, collection_name, entity_code),
                   (SELECT oneroof.fn_ruleset_version()),
                   collection_name, entity_code, canonical_address,
                   :source, source_system, actor_ref, order_at, true, 'seeded', now()
            FROM page
            ON CONFLICT (candidate_key, ruleset_version) DO NOTHING
            """;

    // The key names are those that readers of the cursor table know.
    private static final RunSummaryFields RUN_SUMMARY = () -> """
            'dirty_marked', CAST(:run_effects AS bigint),
            'dlq', CAST(:run_dead AS bigint),
            'ruleset_version', (SELECT value FROM oneroof.dot_config WHERE key = 'governance.ruleset_version')""";

    private BackfillSweep() {}

    /** The sweep over a registered source that has the columns of a birth registry. */
    public static TailSpec over(String source) {
        // Effects run as they are written, and this one writes to OneRoof's own tables.
        BatchEffect seed = (tx, page) ->
                new SetEffect(COLUMNS, tx.own().schema().applyTo(SEED), Map.of("source", source)).apply(tx, page);
        return new TailSpec(Scope.of(WORKER, source), "governance", "seeding", Set.of(GATE), seed, RUN_SUMMARY);
    }
}
