package dev.oneroof.core.job.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** What waits by itself for a while, so that nothing else waits for it. For one thread. */
final class Aside<T> {
    private final Duration pause;
    private final Deque<One<T>> waiting = new ArrayDeque<>();

    private record One<T>(T what, long againNanos) {}

    Aside(Duration pause) {
        this.pause = pause;
    }

    void add(Collection<T> all, long now) {
        all.forEach(what -> waiting.add(new One<>(what, now + pause.toNanos())));
    }

    /** Those that have waited long enough, which are not here any more. */
    List<T> due(long now) {
        return due(now, what -> false);
    }

    /** As {@link #due(long)}, and those that cannot wait any longer. */
    List<T> due(long now, Predicate<T> cannotWait) {
        List<T> due = new ArrayList<>();
        waiting.removeIf(one -> {
            boolean isDue = one.againNanos() - now <= 0 || cannotWait.test(one.what());
            if (isDue) {
                due.add(one.what());
            }
            return isDue;
        });
        return due;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
