package dev.oneroof.core.job.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** Items to retry after a delay, so that others do not wait for them. Used by one thread. */
final class RetryQueue<T> {
    private final Duration delay;
    private final Deque<Delayed<T>> waiting = new ArrayDeque<>();

    private record Delayed<T>(T item, long dueNanos) {}

    RetryQueue(Duration delay) {
        this.delay = delay;
    }

    void add(Collection<T> items, long now) {
        items.forEach(item -> waiting.add(new Delayed<>(item, now + delay.toNanos())));
    }

    /** Removes and returns the items whose delay is over. */
    List<T> due(long now) {
        return due(now, item -> false);
    }

    /** As {@link #due(long)}, including the items that must not wait any longer. */
    List<T> due(long now, Predicate<T> mustNotWait) {
        List<T> due = new ArrayList<>();
        waiting.removeIf(one -> {
            boolean isDue = one.dueNanos() - now <= 0 || mustNotWait.test(one.item());
            if (isDue) {
                due.add(one.item());
            }
            return isDue;
        });
        return due;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
