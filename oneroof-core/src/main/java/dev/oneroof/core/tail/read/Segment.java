package dev.oneroof.core.tail.read;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of a source between two bounds, and what may still add rows to it.
 *
 * @param <B> a bound
 */
final class Segment<B> {
    /** Longer than a session can be between two transactions of one message, even on a machine that is short of time. */
    private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos();

    private final @Nullable B from;
    private final B to;
    private Set<Pending> pending;
    /** Something that may have added rows has ended since it was last read. A new segment was never read. */
    private boolean unread = true;

    Segment(@Nullable B from, B to, Set<Pending> pending) {
        this.from = from;
        this.to = to;
        this.pending = pending;
    }

    @Nullable
    B from() {
        return from;
    }

    B to() {
        return to;
    }

    boolean isCleared() {
        return pending.isEmpty();
    }

    boolean isUnread() {
        return unread;
    }

    void read() {
        unread = false;
    }

    Set<Pending> pending() {
        return pending;
    }

    /** Both wait for the same and neither has news: one segment does. */
    boolean joins(Segment<B> next) {
        return !unread && !next.unread && pending.equals(next.pending);
    }

    Segment<B> joined(Segment<B> next) {
        Segment<B> both = new Segment<>(from, next.to, pending);
        both.unread = false;
        return both;
    }

    void observe(Set<Holder> open, long nowNanos) {
        Map<String, List<Holder>> sessions = open.stream().collect(Collectors.groupingBy(Holder::backend));
        Set<Pending> still = new HashSet<>();
        for (Pending waiting : pending) {
            still.addAll(observed(waiting, open, backend -> sessions.getOrDefault(backend, List.of()), nowNanos));
        }
        unread |= !pending.equals(still);
        pending = still;
    }

    private static List<Pending> observed(
            Pending waiting, Set<Holder> open, Function<String, List<Holder>> inSession, long nowNanos) {
        return switch (waiting) {
            case Pending.Open held ->
                open.contains(held.holder())
                        ? List.of(held)
                        : follow(held.holder().backend(), nowNanos, inSession, nowNanos);
            case Pending.Next held -> open.contains(held.holder()) ? List.of(held) : List.of();
            case Pending.Between between -> follow(between.backend(), between.sinceNanos(), inSession, nowNanos);
        };
    }

    /** The next transaction of a session, if there is one; else the session itself, for as long as one may come. */
    private static List<Pending> follow(
            String backend, long sinceNanos, Function<String, List<Holder>> inSession, long nowNanos) {
        List<Holder> next = inSession.apply(backend);
        if (!next.isEmpty()) {
            return next.stream().<Pending>map(Pending.Next::new).toList();
        }
        return nowNanos - sinceNanos < BETWEEN_NANOS ? List.of(new Pending.Between(backend, sinceNanos)) : List.of();
    }
}
