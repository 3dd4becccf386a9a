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
 * The range of a source between two bounds, and the transactions that may still add rows to it.
 *
 * @param <B> a bound
 */
final class Segment<B> {
    /** Longer than a session can be between two transactions of one message, even on an overloaded machine. */
    private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos();

    private final @Nullable B from;
    private final B to;
    private Set<Blocker> blockers;
    /** A transaction that may have added rows has ended since the last read. A new segment was never read. */
    private boolean unread = true;

    Segment(@Nullable B from, B to, Set<Blocker> blockers) {
        this.from = from;
        this.to = to;
        this.blockers = blockers;
    }

    @Nullable
    B from() {
        return from;
    }

    B to() {
        return to;
    }

    boolean isCleared() {
        return blockers.isEmpty();
    }

    boolean isUnread() {
        return unread;
    }

    void markRead() {
        unread = false;
    }

    Set<Blocker> blockers() {
        return blockers;
    }

    /** Both wait for the same transactions and neither has to be read again: one segment is enough. */
    boolean joins(Segment<B> next) {
        return !unread && !next.unread && blockers.equals(next.blockers);
    }

    Segment<B> joined(Segment<B> next) {
        Segment<B> both = new Segment<>(from, next.to, blockers);
        both.unread = false;
        return both;
    }

    void observe(Set<Holder> open, long nowNanos) {
        Map<String, List<Holder>> sessions = open.stream().collect(Collectors.groupingBy(Holder::backend));
        Set<Blocker> still = new HashSet<>();
        for (Blocker waiting : blockers) {
            still.addAll(observed(waiting, open, backend -> sessions.getOrDefault(backend, List.of()), nowNanos));
        }
        unread |= !blockers.equals(still);
        blockers = still;
    }

    private static List<Blocker> observed(
            Blocker waiting, Set<Holder> open, Function<String, List<Holder>> inSession, long nowNanos) {
        return switch (waiting) {
            case Blocker.Open held ->
                open.contains(held.holder())
                        ? List.of(held)
                        : follow(held.holder().backend(), nowNanos, inSession, nowNanos);
            case Blocker.Next held -> open.contains(held.holder()) ? List.of(held) : List.of();
            case Blocker.Between between -> follow(between.backend(), between.sinceNanos(), inSession, nowNanos);
        };
    }

    /**
     * The next transaction of a session, if there is one; otherwise the session itself, for as long as one may follow.
     */
    private static List<Blocker> follow(
            String backend, long sinceNanos, Function<String, List<Holder>> inSession, long nowNanos) {
        List<Holder> next = inSession.apply(backend);
        if (!next.isEmpty()) {
            return next.stream().<Blocker>map(Blocker.Next::new).toList();
        }
        return nowNanos - sinceNanos < BETWEEN_NANOS ? List.of(new Blocker.Between(backend, sinceNanos)) : List.of();
    }
}
