package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Page;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.Map;

/** An effect without any key of its own: every row it is handed leaves one line in {@code seen}, in order. */
final class CopyKeys implements BatchEffect {
    static final String TABLE = "CREATE TABLE public.seen (no bigint GENERATED ALWAYS AS IDENTITY, key text)";

    private final SetEffect copy = new SetEffect(
            "1",
            "INSERT INTO public.seen (key) SELECT order_id::text FROM page ORDER BY page.order_ts, page.order_id",
            Map.of());

    /** The keys that were handled, in the order in which they were. */
    static List<String> seen(TestDatabase database) {
        return database.list(row -> row.getString(1), "SELECT key FROM public.seen ORDER BY no");
    }

    @Override
    public Batch apply(UserTx tx, Page page) {
        return copy.apply(tx, page);
    }
}
