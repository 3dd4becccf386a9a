package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * How far settled may follow where no barrier is sound: to the end of the table as it was one re-read window ago. A row
 * that commits behind it later than that is found by an audit only.
 */
public final class RereadWindow {
    private static final int SAMPLES = 60;

    private record Sample(long nanos, Watermark top) {}

    private final Deque<Sample> samples = new ArrayDeque<>();
    private long sampledNanos;

    public void reset() {
        samples.clear();
    }

    public boolean isDue(TailSource source) {
        return samples.isEmpty()
                || System.nanoTime() - sampledNanos >= step(source).toNanos();
    }

    /**
     * The bound now, given the end of the table now.
     *
     * @param first up to where rows are read without storing their keys, at the start; empty afterwards
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
