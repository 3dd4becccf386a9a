package dev.oneroof.core.operator;

import dev.oneroof.core.liveness.Health;
import java.util.List;

/**
 * The state of everything, with a verdict.
 *
 * @param verdict one sentence: what is wrong and since when
 * @param state the worst state there is, {@code well} where all executors work or are quiet, {@code none} without any
 * @param healthy false where an executor is dead, silent or stuck
 * @param executors workers, instances, waiting job kinds and overdue schedules, the worst first
 * @param unattended cursors that no worker reads
 * @param deadLetters rows and jobs that were given up and wait for an operator
 * @param notKnown the sources of which no state can say that all rows are handled
 * @param lines all lines of the health view
 */
public record StatusView(
        String verdict,
        String state,
        boolean healthy,
        List<Health.Line> executors,
        List<Health.Line> unattended,
        long deadLetters,
        List<NotKnown> notKnown,
        List<Health.Line> lines) {
    /** A source that may have rows no worker has seen, and why. */
    public record NotKnown(String source, String what) {}
}
