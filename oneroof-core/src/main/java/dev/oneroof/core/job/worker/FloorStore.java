package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Floors that are noted for processes that begin. */
final class FloorStore {
    private static final String KNOWN = """
            SELECT f.job_kind, f.order_at::text AS order_at, f.full_again_seconds
            FROM oneroof.fn_job_floors(:kinds) f
            """;

    private static final String NOTE =
            "SELECT oneroof.fn_job_floor_note(:kinds, CAST(:floors AS timestamptz[]), :seconds)::text";

    /** Those that may be used; a look from the beginning is due when it is for the first of them. */
    Floors.Note known(Tx tx, Collection<String> kinds) {
        Map<String, String> floors = new HashMap<>();
        double seconds = tx.query(KNOWN)
                .bind("kinds", kinds.toArray(String[]::new))
                .reduceRows(Double.MAX_VALUE, (least, row) -> {
                    floors.put(row.getColumn("job_kind", String.class), row.getColumn("order_at", String.class));
                    return Math.min(least, row.getColumn("full_again_seconds", Double.class));
                });
        return new Floors.Note(floors, floors.isEmpty() ? Duration.ZERO : Duration.ofNanos((long) (seconds * 1e9)));
    }

    /** Always true. A kind that is there no more, or was noted a moment ago, is left out. */
    boolean note(Tx tx, Floors.Note note) {
        List<String> kinds = List.copyOf(note.floors().keySet());
        return tx.query(NOTE)
                .bind("kinds", kinds.toArray(String[]::new))
                .bind("floors", kinds.stream().map(note.floors()::get).toArray(String[]::new))
                .bind("seconds", note.fullAgain().toNanos() / 1e9)
                .mapTo(String.class)
                .one()
                .isEmpty();
    }
}
