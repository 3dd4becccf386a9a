package dev.oneroof.core.tail;

/** What a batch came to, in figures. */
record Counts(long rowsSeen, long effectsWritten, long deadLettered) {
    static Counts of(Batch batch) {
        return new Counts(batch.rowsSeen(), batch.effectsWritten(), 0);
    }

    Counts plus(Counts more) {
        return new Counts(
                rowsSeen + more.rowsSeen, effectsWritten + more.effectsWritten, deadLettered + more.deadLettered);
    }
}
