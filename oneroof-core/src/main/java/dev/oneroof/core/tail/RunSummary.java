package dev.oneroof.core.tail;

/** What the present owner of a cursor has done since it took the lease; stored in {@code last_run_summary}. */
record RunSummary(long batchCount, long rowsSeen, long effectsWritten, long deadLettered) {
    static final RunSummary NOTHING = new RunSummary(0, 0, 0, 0);

    RunSummary plus(BatchCounts batch) {
        return new RunSummary(
                batchCount + 1,
                rowsSeen + batch.rowsSeen(),
                effectsWritten + batch.effectsWritten(),
                deadLettered + batch.deadLettered());
    }
}
