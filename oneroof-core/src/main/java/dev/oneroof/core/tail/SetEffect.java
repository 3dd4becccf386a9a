package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.ServerError;
import dev.oneroof.postgres.UserTx;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jdbi.v3.core.JdbiException;

/**
 * An effect in one statement: the page's rows are a relation called {@code page}, and no row leaves the server. So a
 * backlog of a million rows is read close to the speed of a single INSERT.
 *
 * <pre>{@code
 * new SetEffect("entity_code", "INSERT INTO public.known_code (code) SELECT entity_code FROM page", Map.of())
 * }</pre>
 *
 * @param columns the columns that the statement needs; the order key is always there, as order_ts and order_id
 * @param statement an INSERT, UPDATE or DELETE that reads {@code page}, without RETURNING
 * @param parameters its parameters by name; names that start with {@code page_} are reserved
 */
public record SetEffect(String columns, String statement, Map<String, Object> parameters) implements BatchEffect {
    // RETURNING counts what was really written. The page is materialised because it is read three times.
    private static final String WHOLE = """
            WITH page AS MATERIALIZED (
            %s
            ), effect AS (
            %s
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM page) AS rows_seen,
                   (SELECT count(*) FROM effect) AS effects_written,
                   last.order_ts::text AS last_ts,
                   last.order_id::text AS last_id
            FROM (SELECT order_ts, order_id FROM page ORDER BY order_ts DESC, order_id DESC LIMIT 1) last
            """;

    // No RETURNING and no materialised page: the statement runs as fast as it would alone.
    private static final String BARE = """
            WITH page AS (
            %s
            )
            %s
            """;

    private static final Pattern PLAIN = Pattern.compile("\\s*(INSERT|UPDATE|DELETE)\\b", Pattern.CASE_INSENSITIVE);

    @Override
    public Batch apply(UserTx tx, Page page) {
        if (page instanceof KeysetPage behind && PLAIN.matcher(statement).lookingAt()) {
            Optional<KeysetPage> whole = behind.whole(tx);
            if (whole.isPresent()) {
                return bare(tx, behind.limit(), whole.get());
            }
        }
        return whole(tx, page);
    }

    private Batch bare(UserTx tx, long rows, KeysetPage page) {
        int written = marked(() -> tx.update(BARE.formatted(page.select(columns), statement))
                .bindMap(page.parameters())
                .bindMap(parameters)
                .execute());
        return new Batch(rows, written, page.upTo());
    }

    /** The whole statement over a page, with the page's and its own parameters to be bound. */
    public String over(Page page) {
        return WHOLE.formatted(page.select(columns), statement);
    }

    private Batch whole(UserTx tx, Page page) {
        return marked(() -> tx.query(over(page))
                .bindMap(page.parameters())
                .bindMap(parameters)
                .map((row, context) -> new Batch(
                        row.getLong("rows_seen"),
                        row.getLong("effects_written"),
                        Watermark.ofNullable(row.getString("last_ts"), row.getString("last_id"))))
                .findOne()
                .orElse(Batch.EMPTY));
    }

    /** An error from the server may be caused by the rows; any other error is not. */
    private static <R> R marked(Supplier<R> run) {
        try {
            return run.get();
        } catch (JdbiException e) {
            throw ServerError.of(e) == null ? e : new EffectFailure(e);
        }
    }
}
