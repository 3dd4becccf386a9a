package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.Counted;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table that is tailed, as registered in {@code tail_source}. Built by {@link #of} and the methods after it.
 *
 * @param lagThreshold above this lag the source counts as behind
 * @param rereadWindow how far back rows are read again where no barrier is sound
 */
public record TailSource(
        String name,
        Relation relation,
        @Nullable TimeColumn time,
        IdColumn id,
        OrderContract contract,
        Mode mode,
        @Nullable String filter,
        int batchSize,
        Duration pollInterval,
        Duration lagThreshold,
        Duration rereadWindow) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9_][a-z0-9_.-]{0,62}");
    private static final int LARGEST_BATCH = 50_000;
    private static final Duration LONGEST_POLL = Duration.ofDays(1);
    private static final Duration LONGEST_LAG = Duration.ofDays(365);
    private static final Duration LONGEST_REREAD = Duration.ofDays(30);

    public TailSource {
        if (!NAME.matcher(name).matches()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "source: '%s' is not allowed; allowed are 1 to 63 of a-z, 0-9, _, . and -, starting with none of . and -"
                            .formatted(name));
        }
        if (batchSize < 1 || batchSize > LARGEST_BATCH) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "batch_size: '%d' is not allowed; allowed is a whole number from 1 to %d"
                            .formatted(batchSize, LARGEST_BATCH));
        }
        demandWithin("poll_interval", pollInterval, LONGEST_POLL);
        demandWithin("lag_threshold", lagThreshold, LONGEST_LAG);
        demandWithin("reread_window", rereadWindow, LONGEST_REREAD);
    }

    public record Relation(String schema, String table) {
        String quotedSchema() {
            return Identifiers.quote("relation_schema", schema);
        }

        public String quoted() {
            return quotedSchema() + "." + Identifiers.quote("relation_name", table);
        }
    }

    /** The column that orders first. A {@code timestamp} is read in {@code zone}, whatever the session's. */
    public record TimeColumn(
            String column, TimeType type, @Nullable String zone) {
        public String quoted() {
            return Identifiers.quote("ts_column", column);
        }
    }

    /** The column that orders rows of one time, or all rows where there is no time. */
    public record IdColumn(String column, IdType type) {
        public String quoted() {
            return Identifiers.quote("id_column", column);
        }
    }

    /** A source ordered by an id from a sequence, unless changed by another method. */
    public static TailSource of(String name, String schema, String table, String idColumn, IdType idType) {
        return new TailSource(
                name,
                new Relation(schema, table),
                null,
                new IdColumn(idColumn, idType),
                OrderContract.SEQUENCE,
                Mode.PROMPT,
                null,
                5000,
                Duration.ofSeconds(1),
                Duration.ofMinutes(5),
                Duration.ofMinutes(10));
    }

    /** Ordered by a time first, which the database's own {@code now()} has set. */
    public TailSource timedBy(String column, TimeType type) {
        return timedBy(column, type, null);
    }

    public TailSource timedBy(String column, TimeType type, @Nullable String zone) {
        return with(new TimeColumn(column, type, zone), OrderContract.CLOCK, mode, filter);
    }

    public TailSource under(OrderContract promised) {
        return with(time, promised, mode, filter);
    }

    public TailSource in(Mode chosen) {
        return with(time, contract, chosen, filter);
    }

    /** Only rows for which this SQL condition holds. */
    public TailSource where(String condition) {
        return with(time, contract, mode, condition);
    }

    /** A timestamp without zone is read in this one. */
    public TailSource inZone(String zone) {
        if (time == null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is not allowed; without a time column there is none".formatted(zone));
        }
        return with(new TimeColumn(time.column(), time.type(), zone), contract, mode, filter);
    }

    /** All its rows, whatever the filter. */
    public TailSource unfiltered() {
        return with(time, contract, mode, null);
    }

    public TailSource inBatchesOf(int rows) {
        return paced(rows, pollInterval, lagThreshold, rereadWindow);
    }

    public TailSource polledEvery(Duration interval) {
        return paced(batchSize, interval, lagThreshold, rereadWindow);
    }

    /** Behind once the lag is longer than this. */
    public TailSource behindAfter(Duration lag) {
        return paced(batchSize, pollInterval, lag, rereadWindow);
    }

    /** The length of the re-read window, where no barrier is sound. */
    public TailSource rereading(Duration window) {
        return paced(batchSize, pollInterval, lagThreshold, window);
    }

    private TailSource with(
            @Nullable TimeColumn newTime, OrderContract newContract, Mode newMode, @Nullable String newFilter) {
        return new TailSource(
                name,
                relation,
                newTime,
                id,
                newContract,
                newMode,
                newFilter,
                batchSize,
                pollInterval,
                lagThreshold,
                rereadWindow);
    }

    private TailSource paced(int rows, Duration poll, Duration lag, Duration reread) {
        return new TailSource(name, relation, time, id, contract, mode, filter, rows, poll, lag, reread);
    }

    /** Whole milliseconds: what is stored is what is read back. */
    private static void demandWithin(String field, Duration value, Duration longest) {
        boolean whole = value.truncatedTo(ChronoUnit.MILLIS).equals(value);
        if (!whole || value.isZero() || value.isNegative() || value.compareTo(longest) > 0) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are whole milliseconds, above zero and up to %s"
                            .formatted(field, DurationText.of(value), Counted.of(longest.toDays(), "day")));
        }
    }
}
