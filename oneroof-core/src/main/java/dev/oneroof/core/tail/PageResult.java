package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/**
 * The result of one or more pages.
 *
 * @param head the highest key that moves head
 * @param last the key of the last row
 * @param batches the keys that were stored
 * @param isFull whether there may be more rows
 */
record PageResult(
        long rows,
        BatchCounts counts,
        @Nullable Watermark head,
        @Nullable Watermark last,
        StretchBatches batches,
        boolean isFull) {
    PageResult withMore() {
        return new PageResult(rows, counts, head, last, batches, true);
    }

    PageResult plus(PageResult next) {
        return new PageResult(
                rows + next.rows,
                counts.plus(next.counts),
                next.head == null ? head : next.head,
                next.last == null ? last : next.last,
                batches.plus(next.batches),
                next.isFull);
    }
}
