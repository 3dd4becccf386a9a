package dev.oneroof.core.tail;

import dev.oneroof.database.Tx;

/** An effect without any key of its own: every row it is handed leaves one line in {@code seen}, in order. */
final class CopyKeys implements BatchEffect {
    static final String TABLE = "CREATE TABLE public.seen (no bigint GENERATED ALWAYS AS IDENTITY, key text)";

    @Override
    public Batch apply(Tx tx, Page page) {
        String sql = """
                WITH page AS MATERIALIZED (%s), written AS (
                    INSERT INTO public.seen (key)
                    SELECT order_id::text FROM page ORDER BY page.order_ts, page.order_id
                    RETURNING 1)
                SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM written), order_ts::text, order_id::text
                FROM page ORDER BY page.order_ts DESC, page.order_id DESC LIMIT 1
                """.formatted(page.select("1"));
        return tx.query(sql)
                .bindMap(page.parameters())
                .map((row, context) ->
                        new Batch(row.getLong(1), row.getLong(2), new Watermark(row.getString(3), row.getString(4))))
                .findOne()
                .orElse(Batch.EMPTY);
    }
}
