package dev.oneroof.core.feature;

import dev.oneroof.postgres.Tx;
import java.util.List;

/** Finds out which seeds are missing. */
public final class SeedStore {
    private static final String MISSING = """
            SELECT 'gate ' || g.key
            FROM unnest(CAST(:gates AS text[])) g (key)
            WHERE NOT EXISTS (SELECT FROM oneroof.dot_config c WHERE c.key = g.key AND c.kind = 'gate')
            UNION ALL
            SELECT 'finding type ' || f.name
            FROM unnest(CAST(:finding_types AS text[])) f (name)
            WHERE NOT EXISTS (SELECT FROM oneroof.system_issue_type t WHERE t.issue_type = f.name)
            UNION ALL
            SELECT 'event type ' || e.name
            FROM unnest(CAST(:event_types AS text[])) e (name)
            WHERE NOT EXISTS (
                SELECT FROM oneroof.event_type_registry r WHERE concat(r.event_domain, '/', r.event_type) = e.name)
            ORDER BY 1
            """;

    /** Each as its kind and its name. */
    public List<String> missing(Tx tx, Seeds seeds) {
        return tx.query(MISSING)
                .bind("gates", seeds.gates().toArray(String[]::new))
                .bind("finding_types", seeds.findingTypes().toArray(String[]::new))
                .bind("event_types", seeds.eventTypes().toArray(String[]::new))
                .mapTo(String.class)
                .list();
    }
}
