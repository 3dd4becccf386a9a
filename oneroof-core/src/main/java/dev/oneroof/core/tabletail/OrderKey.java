package dev.oneroof.core.tabletail;

import org.jspecify.annotations.Nullable;

/** The SQL of a source's order key: its columns, and comparisons with bound watermarks in the columns' own types. */
record OrderKey(TailSource source) {
    String columns() {
        TailSource.TimeColumn time = source.time();
        return time == null ? id() : time.quoted() + ", " + id();
    }

    String id() {
        return source.id().quoted();
    }

    /** The moment of a row, whatever the type of its time and the session's zone; null where there is none. */
    String at() {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            return "NULL::timestamptz";
        }
        return switch (time.type()) {
            case TIMESTAMPTZ -> time.quoted();
            case TIMESTAMP ->
                "%s AT TIME ZONE '%s'".formatted(time.quoted(), zone(time).replace("'", "''"));
            case DATE ->
                "%s::timestamp AT TIME ZONE '%s'"
                        .formatted(time.quoted(), zone(time).replace("'", "''"));
        };
    }

    /** The time column, or a null where there is none. */
    String ts() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "NULL::text" : time.quoted();
    }

    String tsType() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "text" : time.type().sql();
    }

    String idType() {
        return source.id().type().sql();
    }

    /** A row with a key; rows whose time is null have none. */
    String isThere() {
        TailSource.TimeColumn time = source.time();
        return time == null ? "true" : time.quoted() + " IS NOT NULL";
    }

    /**
     * Behind the watermark, whose parts are bound as {@code :name_ts} and {@code :name_id}. The row comparison walks the
     * index.
     */
    String isAfter(Watermark watermark, String name) {
        if (watermark.ts() == null) {
            return "%s > %s".formatted(id(), boundId(name));
        }
        return watermark.id() == null
                ? "%s > %s".formatted(ts(), boundTs(name))
                : "(%s, %s) > (%s, %s)".formatted(ts(), id(), boundTs(name), boundId(name));
    }

    /**
     * The same once more by the time alone, for a partitioned table: a row comparison prunes nothing. Nowhere else: beside
     * an upper bound the planner takes the two for a narrow range, expects a handful of rows and sorts them all.
     */
    String isNotBefore(Watermark watermark, String name) {
        return watermark.ts() == null || watermark.id() == null ? "true" : "%s >= %s".formatted(ts(), boundTs(name));
    }

    String isUpTo(Watermark watermark, String name) {
        if (watermark.ts() == null) {
            return "%s <= %s".formatted(id(), boundId(name));
        }
        return watermark.id() == null
                ? "%s <= %s".formatted(ts(), boundTs(name))
                : "(%s, %s) <= (%s, %s)".formatted(ts(), id(), boundTs(name), boundId(name));
    }

    /** Not beyond the database's clock; always so where there is no time. */
    String isNotInTheFuture(String ts) {
        TailSource.TimeColumn time = source.time();
        return time == null ? "true" : ts + " <= " + clock(time);
    }

    /** What the database's clock says, as a value of the time column. */
    static String clock(TailSource.TimeColumn time) {
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
