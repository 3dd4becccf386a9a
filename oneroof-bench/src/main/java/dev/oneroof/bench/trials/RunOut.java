package dev.oneroof.bench.trials;

import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;

/** The end of a trial: nobody writes any more, and the tails come to the end of what there is. */
record RunOut(TrialTables tables, Database owner) {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** What is handled twice comes after what is handled once. */
    private static final Duration AFTER = Duration.ofSeconds(3);

    void await(List<TailSource> sources) {
        long rows = tables.rows(owner);
        long begun = System.nanoTime();
        Waiting waiting = new Waiting();
        while (tables.seen(owner, sources) < rows && System.nanoTime() - begun < LIMIT.toNanos()) {
            waiting.pause(Duration.ofMillis(100));
        }
        waiting.pause(AFTER);
    }
}
