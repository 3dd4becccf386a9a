package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.TailSource;
import java.util.Map;

/**
 * The rows of one batch. It is a piece of SQL, so that an effect can use it inside one set-based statement and no row
 * leaves the server.
 */
public interface Page {
    TailSource source();

    /**
     * A SELECT of the given columns with the order key as {@code order_ts} and {@code order_id}, and its moment as a
     * timestamptz {@code order_at}, infinity where it is beyond the range of that type; in order, to be bound with
     * {@link #parameters}. Its parameters begin with {@code page_}. It is sent without substitution: it contains text
     * of users, such as the source's filter, and the names of OneRoof's tables in their configured schema.
     */
    String select(String columns);

    Map<String, Object> parameters();
}
