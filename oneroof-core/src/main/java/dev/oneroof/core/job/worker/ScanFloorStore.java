package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scan floors that running processes store for those that start, in {@code job_kind_floor}. */
final class ScanFloorStore {
    private static final String LOAD = """
            SELECT f.job_kind, f.order_at::text AS order_at, f.full_again_seconds
            FROM oneroof.fn_job_floors(:kinds) f
            """;

    private static final String STORE =
            "SELECT oneroof.fn_job_floor_note(:kinds, CAST(:floors AS timestamptz[]), :seconds)::text";

    /** The floors that may be used; a full scan is due when it is due for the first of them. */
    ScanFloors.Snapshot load(Tx tx, Collection<String> kinds) {
        Map<String, String> floors = new HashMap<>();
        double seconds = tx.query(LOAD)
                .bind("kinds", kinds.toArray(String[]::new))
                .reduceRows(Double.MAX_VALUE, (least, row) -> {
                    floors.put(row.getColumn("job_kind", String.class), row.getColumn("order_at", String.class));
                    return Math.min(least, row.getColumn("full_again_seconds", Double.class));
                });
        return new ScanFloors.Snapshot(
                floors, floors.isEmpty() ? Duration.ZERO : Duration.ofNanos((long) (seconds * 1e9)));
    }

    /** Always true. A kind that was removed, or whose floor was stored a moment ago, is skipped. */
    boolean store(Tx tx, ScanFloors.Snapshot snapshot) {
        List<String> kinds = List.copyOf(snapshot.floors().keySet());
        return tx.query(STORE)
                .bind("kinds", kinds.toArray(String[]::new))
                .bind("floors", kinds.stream().map(snapshot.floors()::get).toArray(String[]::new))
                .bind("seconds", snapshot.untilFull().toNanos() / 1e9)
                .mapTo(String.class)
                .one()
                .isEmpty();
    }
}
