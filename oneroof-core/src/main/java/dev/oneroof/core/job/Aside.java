package dev.oneroof.core.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

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
        List<T> due = new ArrayList<>();
        for (One<T> first = waiting.peek(); first != null && first.againNanos() - now <= 0; first = waiting.peek()) {
            due.add(first.what());
            waiting.remove();
        }
        return due;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
