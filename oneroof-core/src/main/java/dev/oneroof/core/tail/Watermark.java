package dev.oneroof.core.tail;

import org.jspecify.annotations.Nullable;

/**
 * A place in a source's order: the text of its time and its id. Texts are never compared here; the database does that,
 * with the columns' own types.
 */
public record Watermark(@Nullable String ts, String id) {
    @Override
    public String toString() {
        return ts == null ? id : ts + "," + id;
    }
}
