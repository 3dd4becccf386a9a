package dev.oneroof.bench.latecommit;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A table of somebody else's to be watched.
 *
 * @param ts the column of the database's {@code now()}; null where the ids of a sequence are the order
 * @param ids where the ids go, one a line, in the order in which they were handled
 */
public record WatchConfig(
        String schema, String table, @Nullable String ts, String id, Path ids, Duration length) {}
