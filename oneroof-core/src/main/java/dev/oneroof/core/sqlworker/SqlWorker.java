package dev.oneroof.core.sqlworker;

import dev.oneroof.core.lease.Scope;
import java.time.Instant;
import java.util.List;

/**
 * A worker as its row declares it.
 *
 * @param columns what it reads of the source, besides the order key
 * @param statement one INSERT, UPDATE or DELETE that reads the relation {@code page}
 * @param version grows with each change
 * @param actor who changed it last, as that person or program said
 * @param dbUser the login that changed it last
 */
public record SqlWorker(
        Scope scope,
        List<String> columns,
        String statement,
        long version,
        String actor,
        String reason,
        String dbUser,
        Instant createdAt,
        Instant updatedAt) {
    public SqlWorker {
        columns = List.copyOf(columns);
    }
}
