package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * How far settled may follow where no barrier is sound: to where the table's end was a while ago. Whatever commits later
 * than that behind it is for the audit to find.
 */
public final class ArrivalWindow {
    private static final int SAMPLES = 60;

    private record Sample(long nanos, Watermark top) {}

    private final Deque<Sample> samples = new ArrayDeque<>();
    private long sampledNanos;

    public void forget() {
        samples.clear();
    }

    public boolean isDue(TailSource source) {
        return samples.isEmpty()
                || System.nanoTime() - sampledNanos >= step(source).toNanos();
    }

    /**
     * The bound now, given the end of the table now.
     *
     * @param first up to where all is read without remembering, at the beginning; empty from then on
     */
    public Optional<Watermark> bound(TailSource source, Optional<Watermark> top, Optional<Watermark> first) {
        long now = System.nanoTime();
        sampledNanos = now;
        top.ifPresent(end -> samples.addLast(new Sample(now, end)));
        if (first.isPresent()) {
            return first;
        }
        Optional<Watermark> bound = Optional.empty();
        while (!samples.isEmpty()
                && now - samples.getFirst().nanos() >= source.rereadWindow().toNanos()) {
            bound = Optional.of(samples.removeFirst().top());
        }
        return bound;
    }

    private static Duration step(TailSource source) {
        return source.rereadWindow().dividedBy(SAMPLES);
    }
}
