package dev.oneroof.core.tail;

/**
 * The fields that a feature adds to the run summary of its cursors, in {@code last_run_summary}. The engine writes
 * {@code batch_count}, {@code rows_seen}, {@code snapshot_ref}, {@code started_at} and {@code ended_at} by itself.
 */
@FunctionalInterface
public interface RunSummaryFields {
    /** How many effects the present owner has written, and how many rows became dead letters. */
    RunSummaryFields PLAIN = () -> CursorStore.PLAIN_SUMMARY_FIELDS;

    /**
     * Keys and values, separated by commas, as {@code jsonb_build_object} takes them. The statement is run with every batch.
     * Both parameters must be used: {@code :run_effects} and {@code :run_dead}, the effects and the dead letters since the
     * present owner took the cursor.
     */
    String sql();
}
