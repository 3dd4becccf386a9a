package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/** The SQL of a source's order key: its columns, and comparisons with bound watermarks in the columns' own types. */
public record OrderKey(TailSource source, @Nullable String collation) {
    /** For SQL that compares no two watermarks with each other; a column has its own collation. */
    public OrderKey(TailSource source) {
        this(source, null);
    }

    public String columns() {
        TailSource.TimeColumn time = source.time();
        return time == null ? id() : time.quoted() + ", " + id();
    }

    /** The columns for an ORDER BY, where a bare name would mean an output column of that name. */
    public String order() {
        TailSource.TimeColumn time = source.time();
        String table = source.relation().quoted() + ".";
        return time == null ? table + id() : table + time.quoted() + ", " + table + id();
    }

    public String id() {
        return source.id().quoted();
    }

    /** The moment of a row, whatever the type of its time and the session's zone; null where there is none. */
    public String at() {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            return "NULL::timestamptz";
        }
        return moment(time, time.quoted());
    }

    /** The moment that the text of a time means. */
    public String momentOf(String text) {
        TailSource.TimeColumn time = source.time();
        return time == null ? "NULL::timestamptz" : moment(time, asTs(text));
    }

    /**
     * Dates have a wider range than timestamptz, and a zone may move a time out of the range: there the moment is
     * infinite. Otherwise the server would refuse the row, and with it the page.
     */
    private static String moment(TailSource.TimeColumn time, String value) {
        String zone = zone(time).replace("'", "''");
        return switch (time.type()) {
            case TIMESTAMPTZ -> value;
            case TIMESTAMP ->
                zone.equals("UTC")
                        ? "%s AT TIME ZONE 'UTC'".formatted(value)
                        : withinMoments(value, "%s AT TIME ZONE '%s'".formatted(value, zone));
            case DATE -> withinMoments(value, "%s::timestamp AT TIME ZONE '%s'".formatted(value, zone));
        };
    }

    private static String withinMoments(String value, String moment) {
        return "CASE WHEN %1$s > '294276-12-29' THEN 'infinity' WHEN %1$s < '4714-11-26 BC' THEN '-infinity' ELSE %2$s END"
                .formatted(value, moment);
    }

    /** The types of the key, for a reader. */
    public String describe() {
        return source.time() == null ? idType() : tsType() + ", " + idType();
    }

    /** The time column, or a null where there is none. */
    public String ts() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "NULL::text" : time.quoted();
    }

    public String tsType() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "text" : time.type().sql();
    }

    public String idType() {
        return source.id().type().sql();
    }

    /** A row with a key; rows whose time is null have none. */
    public String isThere() {
        TailSource.TimeColumn time = source.time();
        return time == null ? id() + " IS NOT NULL" : time.quoted() + " IS NOT NULL AND " + id() + " IS NOT NULL";
    }

    /** A row whose time is null. */
    public String isUntimed() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "false" : time.quoted() + " IS NULL AND " + id() + " IS NOT NULL";
    }

    /**
     * After the watermark, whose parts are bound as {@code :name_ts} and {@code :name_id}. The row comparison walks the
     * index.
     */
    public String isAfter(Watermark watermark, String name) {
        if (watermark.ts() == null) {
            return "%s > %s".formatted(id(), boundId(name));
        }
        return watermark.id() == null
                ? "%s > %s".formatted(ts(), boundTs(name))
                : "(%s, %s) > (%s, %s)".formatted(ts(), id(), boundTs(name), boundId(name));
    }

    /**
     * The same again by the time alone, for a partitioned table: a row comparison prunes nothing. Not for other tables:
     * with an upper bound the planner takes the two for a narrow range, expects a handful of rows and sorts them all.
     */
    public String isNotBefore(Watermark watermark, String name) {
        return watermark.ts() == null || watermark.id() == null ? "true" : "%s >= %s".formatted(ts(), boundTs(name));
    }

    public String isUpTo(Watermark watermark, String name) {
        if (watermark.ts() == null) {
            return "%s <= %s".formatted(id(), boundId(name));
        }
        return watermark.id() == null
                ? "%s <= %s".formatted(ts(), boundTs(name))
                : "(%s, %s) <= (%s, %s)".formatted(ts(), id(), boundTs(name), boundId(name));
    }

    /** A text as a value of the id's type and order. */
    public String asId(String text) {
        String id = "CAST(%s AS %s)".formatted(text, idType());
        return collation == null ? id : id + " COLLATE " + collation;
    }

    public String asTs(String text) {
        return "CAST(%s AS %s)".formatted(text, tsType());
    }

    /**
     * Whether one watermark is at or above another, both given as the SQL of their texts. Without an id it is the end
     * of its time.
     */
    public String isNotLower(String ts, String id, String thanTs, String thanId) {
        if (source.time() == null) {
            return "%s >= %s".formatted(asId(id), asId(thanId));
        }
        return """
                (%1$s > %2$s OR (%1$s = %2$s AND (%3$s IS NULL OR (%4$s IS NOT NULL AND %5$s >= %6$s))))""".formatted(asTs(ts), asTs(thanTs), id, thanId, asId(id), asId(thanId));
    }

    /** Not beyond the database's clock; always so where there is no time. */
    public String isNotInTheFuture(String ts) {
        TailSource.TimeColumn time = source.time();
        return time == null ? "true" : ts + " <= " + clock(time);
    }

    /** At least so long before the database's clock; always so where there is no time. */
    public String isOlderThan(String ts, String interval) {
        TailSource.TimeColumn time = source.time();
        return time == null ? "true" : "%s <= %s - %s".formatted(ts, clock(time), interval);
    }

    /** What the database's clock says, as a value of the time column. */
    public static String clock(TailSource.TimeColumn time) {
        return switch (time.type()) {
            case TIMESTAMPTZ -> "clock_timestamp()";
            case TIMESTAMP ->
                "(clock_timestamp() AT TIME ZONE '%s')".formatted(zone(time).replace("'", "''"));
            case DATE ->
                "(clock_timestamp() AT TIME ZONE '%s')::date"
                        .formatted(zone(time).replace("'", "''"));
        };
    }

    private static String zone(TailSource.TimeColumn time) {
        @Nullable String zone = time.zone();
        return zone == null ? "UTC" : zone;
    }

    private String boundTs(String name) {
        return "CAST(:%s_ts AS %s)".formatted(name, tsType());
    }

    private String boundId(String name) {
        return "CAST(:%s_id AS %s)".formatted(name, idType());
    }
}
