package dev.oneroof.core.outbox;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;

/** The monthly partitions of {@code event_outbox}. Make each call in its own transaction: other sessions wait for its locks. */
public final class OutboxPartitionStore {
    private static final String ENSURE = "SELECT oneroof.fn_outbox_partitions_ensure(:ahead)";

    private static final String DROP =
            "SELECT oneroof.fn_outbox_partitions_drop(make_interval(secs => CAST(:seconds AS double precision)), :actor)";

    /** Creates the partitions of this month and of the next ones; returns how many were missing. */
    public int ensure(Tx tx, int monthsAhead) {
        return tx.query(ENSURE).bind("ahead", monthsAhead).mapTo(Integer.class).one();
    }

    /**
     * Drops the months that ended longer ago than this and that every cursor has settled; returns their names. Each drop is
     * recorded as an act.
     */
    public List<String> drop(Tx tx, Duration keep, String actor) {
        return tx.query(DROP)
                .bind("seconds", (double) keep.toSeconds())
                .bind("actor", actor)
                .mapTo(String.class)
                .list();
    }
}
