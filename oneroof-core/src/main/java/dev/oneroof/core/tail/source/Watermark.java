package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * A position in a source's order: the text of its time and its id. Without an id it is the end of that time, after all
 * its rows. Texts are never compared here; the database does that, with the columns' own types.
 */
public record Watermark(@Nullable String ts, @Nullable String id) {
    public Watermark {
        if (ts == null && id == null) {
            throw new IllegalArgumentException("a watermark needs a time or an id");
        }
    }

    /** From the two texts of a row; null where both are null. */
    public static @Nullable Watermark ofNullable(@Nullable String ts, @Nullable String id) {
        return ts == null && id == null ? null : new Watermark(ts, id);
    }

    public static @Nullable String tsOf(@Nullable Watermark watermark) {
        return watermark == null ? null : watermark.ts();
    }

    public static @Nullable String idOf(@Nullable Watermark watermark) {
        return watermark == null ? null : watermark.id();
    }

    @Override
    public String toString() {
        return ts == null ? String.valueOf(id) : id == null ? ts : ts + "," + id;
    }
}
