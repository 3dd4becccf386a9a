package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long a loop waits between passes: shorter after work or a wake-up, longer after repeated failures. */
final class PollPace {
    static final Duration SHORTEST = Duration.ofMillis(5);
    static final Duration FIRST_BACKOFF = Duration.ofMillis(100);

    private final Duration longestBackoff;
    /** Passes in a row that found nothing, since the last work or wake-up. A new loop starts with the usual interval. */
    private int idlePasses = 30;
    /** Turns in a row that failed, for any reason. */
    private int failedTurns;

    PollPace(Duration longestBackoff) {
        this.longestBackoff = longestBackoff;
    }

    /** Work or a wake-up arrived: more may be about to be committed. */
    void restart() {
        idlePasses = 0;
    }

    /** Doubles with each pass that finds nothing, up to the usual interval. */
    Duration untilNextPoll(Duration usual) {
        Duration soon = SHORTEST.multipliedBy(1L << Math.min(idlePasses, 20));
        idlePasses++;
        return soon.compareTo(usual) < 0 ? soon : usual;
    }

    void succeeded() {
        failedTurns = 0;
    }

    Duration backoffAfterFailure() {
        Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failedTurns, 20));
        failedTurns++;
        return doubled.compareTo(longestBackoff) < 0 ? doubled : longestBackoff;
    }

    /** Up to a tenth more or less, so that instances that started together do not stay in step. */
    static Duration jittered(Duration pause) {
        return Duration.ofNanos(
                (long) (pause.toNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.1)));
    }
}
