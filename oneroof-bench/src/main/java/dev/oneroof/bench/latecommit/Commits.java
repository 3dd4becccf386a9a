package dev.oneroof.bench.latecommit;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the writers have really committed: the truth that every reader is held against. */
final class Commits {
    private final AtomicLong marks = new AtomicLong();
    private final Map<Long, Commit> committed = new ConcurrentHashMap<>();

    /** @param brief whether the transaction took less than a second */
    record Commit(Instant at, boolean brief, boolean dated) {}

    /** A number that no other row of the trial bears. */
    long mark() {
        return marks.incrementAndGet();
    }

    void add(List<Long> rows, Commit commit) {
        rows.forEach(mark -> committed.put(mark, commit));
    }

    Map<Long, Commit> all() {
        return committed;
    }
}
