package dev.oneroof.core.tail.read;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells up to which bound a source can be read for good.
 *
 * <p>A transaction takes its time or its id early and commits late. Whoever reads by key passes that key, and never sees
 * the row. What helps is this: every open transaction holds a lock on its own virtual id, which any role can see, and
 * gives it back only after its commit is visible. So
 *
 * <ol>
 *   <li>take a bound H, such that whoever can still write a key at or below H has begun by now,
 *   <li><em>then</em> look which transactions R are open,
 *   <li><em>then</em>, once none of R is open any more, read rows up to H in a <em>new</em> statement.
 * </ol>
 *
 * A row at or below H was written by a transaction that had begun when H was taken. When R was read it had ended, and its
 * rows were visible; or it was open, and is in R. No row is left that could come later. The order is the whole point. R
 * before H: a transaction that begins between the two writes below H and is not in R. Rows in the same statement as R: the
 * statement's snapshot is older than its look at the locks, and a transaction that ended between is neither open nor
 * visible.
 *
 * <p><b>Time.</b> Where the key is the database's {@code now()}, H is its clock less a guard: {@code now()} is when the
 * client's message arrived, a moment before the transaction takes its lock. One message may hold several transactions, all
 * with the time of the message; and COMMIT AND CHAIN begins one with the time of the commit's message. The second is not
 * in R. So the transaction that follows a holder in its session is waited for as well, once. Longer chains in one message
 * are outside the contract.
 *
 * <p><b>Segments.</b> A bound is taken on every pass, and what lies between two bounds is a segment with its own R. Nothing
 * that begins later can add to it, so its R only shrinks. When a member ends, the segment is worth another read, though
 * others are still open: a row that committed late does not wait for a stranger. Segments that wait for the same are
 * joined, so that one transaction left open for hours costs one segment.
 *
 * <p>All this lives in memory and hangs on an unbroken line of observations of one server. When the line is broken
 * (connection lost, server restarted, lease lost), {@link #forget} drops it all, and the committed cursor says where to
 * begin again. This class asks nobody: who calls it takes bound and holders, in that order. It is not thread-safe.
 *
 * @param <B> a bound; taken in ascending order
 */
public final class Barrier<B> {
    private final List<Segment<B>> segments = new ArrayList<>();
    private @Nullable B last;
    private Set<Holder> lastOpen = Set.of();

    /** Notes a bound, and the transactions that were open after it was taken. The same bound again only looks. */
    public void mark(B bound, Set<Holder> open, long nowNanos) {
        segments.forEach(segment -> segment.observe(open, nowNanos));
        if (!bound.equals(last)) {
            segments.add(new Segment<>(last, bound, holding(open, nowNanos)));
            last = bound;
        }
        lastOpen = Set.copyOf(open);
    }

    /** All that is open, and the sessions that have just ended one and may be between two of one message. */
    private Set<Pending> holding(Set<Holder> open, long nowNanos) {
        Set<Pending> pending = open.stream().map(Pending.Open::new).collect(Collectors.toCollection(HashSet::new));
        Set<String> busy = open.stream().map(Holder::backend).collect(Collectors.toSet());
        lastOpen.stream()
                .map(Holder::backend)
                .filter(backend -> !busy.contains(backend))
                .forEach(backend -> pending.add(new Pending.Between(backend, nowNanos)));
        return pending;
    }

    /** The bound up to which a new statement sees all there will ever be; empty when nothing new is. */
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

    /** All up to the cleared bound has been read, in a statement that began after it was cleared. */
    public void settled() {
        while (!segments.isEmpty() && segments.getFirst().isCleared()) {
            segments.removeFirst();
        }
    }

    /** From where on there may be rows that were not visible at the last read; null is the very beginning. */
    public @Nullable B unreadFrom() {
        for (Segment<B> segment : segments) {
            if (segment.isUnread()) {
                return segment.from();
            }
        }
        return last;
    }

    /** All from {@link #unreadFrom} on has been read, in a statement that began after the last mark. */
    public void read() {
        List<Segment<B>> joined = new ArrayList<>();
        for (Segment<B> segment : segments) {
            segment.read();
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
        return segments.getFirst().pending().stream()
                .flatMap(waiting -> switch (waiting) {
                    case Pending.Open held -> java.util.stream.Stream.of(held.holder());
                    case Pending.Next held -> java.util.stream.Stream.of(held.holder());
                    case Pending.Between between -> java.util.stream.Stream.of();
                })
                .collect(Collectors.toSet());
    }

    public int segments() {
        return segments.size();
    }

    /** The line of observations is broken. */
    public void forget() {
        segments.clear();
        last = null;
        lastOpen = Set.of();
    }
}
