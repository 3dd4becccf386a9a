package dev.oneroof.bench.tailspeed;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Turns;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.tail.SetEffect;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.Map;

/**
 * A backfill, as {@code gov_backfill_sweep} does it, against one INSERT … SELECT of the same rows. Both write to a table
 * that has the columns, keys and checks of {@code gov_candidate_state}.
 */
public final class BackfillBench implements Bench {
    private static final int BATCH = 5000;
    private static final double AT_MOST = 1.25;

    private static final String SCHEMA = "oneroof_bench";

    private static final String SOURCE = """
            CREATE TABLE oneroof_bench.birth_registry (
                id                integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                born_at           timestamptz NOT NULL,
                collection_name   text NOT NULL,
                entity_code       text NOT NULL,
                canonical_address text,
                source_system     text,
                actor_ref         text)
            """;

    // Sixty collections of unlike size, seven seconds apart, all in the past.
    private static final String FILL = """
            INSERT INTO oneroof_bench.birth_registry (born_at, collection_name, entity_code, source_system, actor_ref)
            SELECT now() - make_interval(secs => (%1$s - i) * 7 + 60),
                   'collection_' || c.no, 'ENT-' || lpad(i::text, 8, '0'), 'hub_' || c.no %% 7, 'user:' || i %% 400
            FROM generate_series(1, %1$s) i
            CROSS JOIN LATERAL (
                SELECT floor(60 * power((hashint8(i) & 1048575) / 1048576.0, 2))::integer AS no) c
            ORDER BY i
            """;

    // Without autovacuum: it would meet the one and not the other.
    private static final String TARGET = """
            CREATE TABLE oneroof_bench.%s (LIKE oneroof.gov_candidate_state INCLUDING ALL)
            WITH (autovacuum_enabled = off)
            """;

    private static final String INTO = """
            INSERT INTO oneroof_bench.%s
                (candidate_key, ruleset_version, object_type, object_ref, canonical_address,
                 source, source_system, actor_ref, occurred_at, dirty, dirty_reason, dirtied_at)
            SELECT oneroof.fn_candidate_key(canonical_address, collection_name, entity_code),
                   (SELECT value::integer FROM oneroof.dot_config WHERE key = 'governance.ruleset_version'),
                   collection_name, entity_code, canonical_address,
                   'bench', source_system, actor_ref, %s, true, 'seeded', now()
            FROM %s
            ON CONFLICT (candidate_key, ruleset_version) DO NOTHING
            """;

    private static final String SWEEP = INTO.formatted("swept", "order_at", "page");
    private static final String REFERENCE = INTO.formatted("at_once", "born_at", "oneroof_bench.birth_registry");
    private static final String COLUMNS = "collection_name, entity_code, canonical_address, source_system, actor_ref";

    private final SpeedConfig config;

    public BackfillBench(SpeedConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            workshop.run(
                    SOURCE,
                    FILL.formatted(config.rows()),
                    "CREATE INDEX ON oneroof_bench.birth_registry (born_at, id)",
                    TARGET.formatted("swept"),
                    TARGET.formatted("at_once"));
            workshop.vacuum("oneroof_bench.birth_registry");
            TailSource source = TailSource.of(
                            workshop.sourceName("bench-backfill"), SCHEMA, "birth_registry", "id", IdType.INTEGER)
                    .timedBy("born_at", TimeType.TIMESTAMPTZ)
                    .inBatchesOf(BATCH);
            WholeRun sweep = new WholeRun(workshop, source, config.rows());
            Turns turns = Turns.take(config.rounds(), () -> atOnce(workshop), () -> swept(workshop, sweep));
            return BenchResult.of(
                    "backfill",
                    config.settings(BATCH),
                    List.of(
                            Figure.exactly("rows swept", count(workshop, "swept"), config.rows()),
                            Figure.ratioAtMost("seconds", turns.candidateMedian(), turns.referenceMedian(), AT_MOST)));
        }
    }

    private static double atOnce(Workshop workshop) {
        workshop.run("TRUNCATE oneroof_bench.at_once");
        long begun = System.nanoTime();
        workshop.run(REFERENCE);
        return (System.nanoTime() - begun) / 1e9;
    }

    private static double swept(Workshop workshop, WholeRun sweep) throws InterruptedException {
        workshop.run("TRUNCATE oneroof_bench.swept");
        String effect = workshop.owner().schema().applyTo(SWEEP);
        return sweep.fromTheBeginning(new SetEffect(COLUMNS, effect, Map.of()));
    }

    private static long count(Workshop workshop, String table) {
        return workshop.owner()
                .inTx(tx -> tx.query("SELECT count(*) FROM oneroof_bench." + table)
                        .mapTo(Long.class)
                        .findOne())
                .orElseThrow(() -> new OneRoofException(ErrorCode.FAILED, "count: there is none"));
    }
}
