package dev.oneroof.core.tail;

/** The figures of a batch. */
record BatchCounts(long rowsSeen, long effectsWritten, long deadLettered) {
    static BatchCounts of(Batch batch) {
        return new BatchCounts(batch.rowsSeen(), batch.effectsWritten(), 0);
    }

    BatchCounts plus(BatchCounts more) {
        return new BatchCounts(
                rowsSeen + more.rowsSeen, effectsWritten + more.effectsWritten, deadLettered + more.deadLettered);
    }
}
