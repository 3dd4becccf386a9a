package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.Map;

/**
 * Tells whether every row was handled just once. The effect is a plain INSERT into a table without any key, so that a
 * second handling leaves a second line.
 */
final class HandledRows {
    private final TestDatabase database;

    HandledRows(TestDatabase database) {
        this.database = database;
        database.run("CREATE TABLE public.handled (source text, ts text, id text)");
    }

    BatchEffect effect(String source) {
        return new SetEffect(
                "1",
                "INSERT INTO public.handled SELECT CAST(:handled_source AS text), order_ts::text, order_id::text FROM page",
                Map.of("handled_source", source));
    }

    long of(String source) {
        return database.value(Long.class, "SELECT count(*) FROM public.handled WHERE source = ?", source);
    }

    /** Passes until so many rows are handled, then a few more, which must change nothing. */
    void await(TailFixture tailing, Lease lease, String source, String key, long rows) {
        Await.upTo(java.time.Duration.ofMinutes(2)).until(rows + " rows of " + source, () -> {
            tailing.drain(lease);
            return of(source) >= rows;
        });
        for (int pass = 0; pass < 3; pass++) {
            tailing.drain(lease);
        }
        assertThat(of(source)).isEqualTo(rows);
        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM public.handled h JOIN %s t ON h.id = t.%s::text WHERE h.source = ?"
                                .formatted(source, key),
                        source))
                .as("lines that are rows of %s, each once", source)
                .isEqualTo(rows);
        assertThat(database.value(Long.class, "SELECT count(DISTINCT id) FROM public.handled WHERE source = ?", source))
                .isEqualTo(rows);
    }
}
