package dev.oneroof.core.tail;

import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/** What an effect did with a page: how many rows it saw, how many effects it wrote, and the last row's key. */
public record Batch(
        long rowsSeen, long effectsWritten, @Nullable Watermark last) {
    public static final Batch EMPTY = new Batch(0, 0, null);
}
