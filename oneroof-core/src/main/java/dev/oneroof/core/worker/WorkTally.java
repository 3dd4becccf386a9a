package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;

/** Counts what a worker processed from one beat to the next, so that a beat reports it. For the loop's thread. */
final class WorkTally {
    private final String unit;
    private long count;
    private Beat beat = Beat.working("working");
    private long workedNanos = System.nanoTime() - Duration.ofDays(1).toNanos();

    WorkTally(String unit) {
        this.unit = unit;
    }

    /** Counts a pass that had work; returns the beat that reports all since the last one. */
    Beat add(long more, Load load) {
        workedNanos = System.nanoTime();
        count += more;
        String processed = count == 0 ? "working" : "processed " + Counted.of(count, unit);
        beat = Beat.working(load instanceof Load.Slow slow ? processed + ", slowed by " + slow.reason() : processed);
        return beat;
    }

    /** The beat was sent: the count starts again. */
    void reported() {
        count = 0;
    }

    /** The last beat with work. */
    Beat beat() {
        return beat;
    }

    /** A worker with a row now and then is not quiet in between. */
    boolean hasWorkedWithin(Duration time) {
        return System.nanoTime() - workedNanos < time.toNanos();
    }
}
