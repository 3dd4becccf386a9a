package dev.oneroof.bench.tailspeed;

import dev.oneroof.core.tail.Batch;
import dev.oneroof.core.tail.BatchEffect;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.postgres.UserTx;

/**
 * Lets the server explain every page that a tail walks through, up to so many rows, and adds up what they cost. A page whose
 * keys were written down first, since a transaction was open anywhere on the server, is fetched key by key: that costs the
 * same at any depth, and more than a walk, so it is left out.
 */
final class ExplainedPages implements BatchEffect {
    // The server reads its own answer; no other reader of JSON is needed.
    private static final String COST = """
            SELECT (plan ->> 'Actual Rows')::float8::bigint AS rows,
                   (plan ->> 'Shared Hit Blocks')::bigint + (plan ->> 'Shared Read Blocks')::bigint AS buffers,
                   millis
            FROM (
                SELECT e -> 'Plan' AS plan, (e ->> 'Execution Time')::float8 AS millis
                FROM jsonb_array_elements(CAST(:explained AS jsonb)) e) x
            """;

    private final long rows;
    private final BatchEffect reading =
            TailSpec.draft("bench", "event").inBatches((tx, batch) -> {}).effect();
    private PageCost cost = PageCost.NOTHING;

    ExplainedPages(long rows) {
        this.rows = rows;
    }

    @Override
    public Batch apply(UserTx tx, Page page) {
        if (page.parameters().containsKey("page_first")) {
            return reading.apply(tx, page);
        }
        String explained = tx.query(
                        "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) %s".formatted(page.select("body")))
                .bindMap(page.parameters())
                .mapTo(String.class)
                .one();
        PageCost one = tx.query(COST)
                .bind("explained", explained)
                .map((row, context) ->
                        new PageCost(row.getLong("rows"), row.getLong("buffers"), row.getDouble("millis")))
                .one();
        tx.onCommit(() -> add(one));
        return reading.apply(tx, page);
    }

    /** The worker goes on until it is stopped; what it reads beyond the stretch is not asked for. */
    private synchronized void add(PageCost one) {
        if (cost.rows() < rows) {
            cost = cost.plus(one);
        }
    }

    synchronized PageCost cost() {
        return cost;
    }
}
