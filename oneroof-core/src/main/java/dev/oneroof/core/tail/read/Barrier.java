package dev.oneroof.core.tail.read;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides up to which bound a source is complete, so that it never has to be read again.
 *
 * <p>A transaction takes its time or its id early and commits late. A reader that goes by key passes that key, and
 * never sees the row. But every open transaction holds a lock on its own virtual id, which any role can see, and
 * releases it only after its commit is visible. So
 *
 * <ol>
 *   <li>take a bound H, such that every transaction that can still write a key at or below H has started by now,
 *   <li><em>then</em> read the set R of open transactions,
 *   <li><em>then</em>, once none of R is open any more, read rows up to H in a <em>new</em> statement.
 * </ol>
 *
 * A row at or below H was written by a transaction that had started when H was taken. When R was read, that transaction
 * had ended and its rows were visible, or it was open and is in R. So no row can appear later. The order of the steps
 * is essential. With R before H, a transaction that starts between the two writes below H and is not in R. With the
 * rows in the same statement as R, the statement's snapshot is older than its read of the locks, and a transaction that
 * ended in between is neither open nor visible.
 *
 * <p><b>Time.</b> Where the key is the database's {@code now()}, H is its clock less a guard: {@code now()} is when the
 * client's message arrived, a moment before the transaction takes its lock. One message may hold several transactions,
 * all with the time of the message; and COMMIT AND CHAIN starts one with the time of the commit's message. The second
 * transaction is not in R. So the barrier also waits for the transaction that follows a holder in its session, once.
 * Longer chains in one message are outside the contract.
 *
 * <p><b>Segments.</b> A bound is taken on every pass, and the range between two bounds is a segment with its own R. No
 * transaction that starts later can add to it, so its R only shrinks. When a member of R ends, the segment is read
 * again though others are still open: a row that committed late does not wait for an unrelated transaction. Segments
 * that wait for the same set are joined, so that one transaction left open for hours costs one segment.
 *
 * <p>The segments are in memory and depend on an unbroken sequence of observations of one server. When it is broken
 * (connection lost, server restarted, lease lost), {@link #reset} drops them, and reading starts again from the
 * committed cursor. This class does no I/O: the caller takes the bound and the holders, in that order. It is not
 * thread-safe.
 *
 * @param <B> a bound; taken in ascending order
 */
public final class Barrier<B> {
    private final List<Segment<B>> segments = new ArrayList<>();
    private @Nullable B last;
    private Set<Holder> lastOpen = Set.of();

    /**
     * Records a bound and the transactions that were open after it was taken. With the same bound again it only updates
     * the holders.
     */
    public void mark(B bound, Set<Holder> open, long nowNanos) {
        segments.forEach(segment -> segment.observe(open, nowNanos));
        if (!bound.equals(last)) {
            segments.add(new Segment<>(last, bound, holding(open, nowNanos)));
            last = bound;
        }
        lastOpen = Set.copyOf(open);
    }

    /** All open transactions, and the sessions that have just ended one and may be between two of one message. */
    private Set<Blocker> holding(Set<Holder> open, long nowNanos) {
        Set<Blocker> blockers = open.stream().map(Blocker.Open::new).collect(Collectors.toCollection(HashSet::new));
        Set<String> busy = open.stream().map(Holder::backend).collect(Collectors.toSet());
        lastOpen.stream()
                .map(Holder::backend)
                .filter(backend -> !busy.contains(backend))
                .forEach(backend -> blockers.add(new Blocker.Between(backend, nowNanos)));
        return blockers;
    }

    /** The bound up to which a new statement sees every row there will be; empty where none is newly cleared. */
    public Optional<B> cleared() {
        B bound = null;
        for (Segment<B> segment : segments) {
            if (!segment.isCleared()) {
                break;
            }
            bound = segment.to();
        }
        return Optional.ofNullable(bound);
    }

    /** All rows up to the cleared bound were read, in a statement that started after it was cleared. */
    public void markSettled() {
        while (!segments.isEmpty() && segments.getFirst().isCleared()) {
            segments.removeFirst();
        }
    }

    /** From where on there may be rows that were not visible at the last read; null is the start of the source. */
    public @Nullable B unreadFrom() {
        for (Segment<B> segment : segments) {
            if (segment.isUnread()) {
                return segment.from();
            }
        }
        return last;
    }

    /** All rows from {@link #unreadFrom} on were read, in a statement that started after the last mark. */
    public void markRead() {
        List<Segment<B>> joined = new ArrayList<>();
        for (Segment<B> segment : segments) {
            segment.markRead();
            if (!joined.isEmpty() && joined.getLast().joins(segment)) {
                joined.set(joined.size() - 1, joined.getLast().joined(segment));
            } else {
                joined.add(segment);
            }
        }
        segments.clear();
        segments.addAll(joined);
    }

    /** The transactions that keep the first segment from being settled. */
    public Set<Holder> holders() {
        if (segments.isEmpty()) {
            return Set.of();
        }
        return segments.getFirst().blockers().stream()
                .flatMap(waiting -> switch (waiting) {
                    case Blocker.Open held -> java.util.stream.Stream.of(held.holder());
                    case Blocker.Next held -> java.util.stream.Stream.of(held.holder());
                    case Blocker.Between between -> java.util.stream.Stream.of();
                })
                .collect(Collectors.toSet());
    }

    public int segments() {
        return segments.size();
    }

    /** The sequence of observations is broken. */
    public void reset() {
        segments.clear();
        last = null;
        lastOpen = Set.of();
    }
}
