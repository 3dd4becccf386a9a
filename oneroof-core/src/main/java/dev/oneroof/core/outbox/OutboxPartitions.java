package dev.oneroof.core.outbox;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;

/** The months of {@code event_outbox}. Each call belongs in a transaction of its own: others wait for its locks. */
public final class OutboxPartitions {
    private static final String ENSURE = "SELECT oneroof.fn_outbox_partitions_ensure(:ahead)";

    private static final String DROP =
            "SELECT oneroof.fn_outbox_partitions_drop(make_interval(secs => CAST(:seconds AS double precision)), :actor)";

    /** Makes the partitions of this month and of those to come, and returns how many were missing. */
    public int ensure(Tx tx, int monthsAhead) {
        return tx.query(ENSURE).bind("ahead", monthsAhead).mapTo(Integer.class).one();
    }

    /**
     * Drops the months that ended so long ago and that every cursor has settled, and returns their names. Each is an act
     * of the actor's.
     */
    public List<String> drop(Tx tx, Duration keep, String actor) {
        return tx.query(DROP)
                .bind("seconds", (double) keep.toSeconds())
                .bind("actor", actor)
                .mapTo(String.class)
                .list();
    }
}
