package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a change of a source means, as it was shown: it is made only as long as it still means that.
 *
 * @param changes field by field, in words
 * @param to the place behind which cursors read again that have to; null for as far back as each needs
 * @param warnings what its owner should know of the source as it will be
 */
public record AlterPlan(
        TailSource before,
        TailSource after,
        List<String> changes,
        @Nullable Watermark to,
        List<ForCursor> cursors,
        List<String> warnings) {

    /** What it means for one cursor, which stands there. */
    public record ForCursor(Scope scope, @Nullable Watermark settled, Effect effect) {}

    /** What becomes of a cursor's position. */
    public sealed interface Effect {
        /** It is sound where it stands. */
        record GoesOn(String why) implements Effect {}

        /** It reads again what lies behind the place, without the rows that it has handled; null is the very beginning. */
        record ReadsAgain(@Nullable Watermark from, String why) implements Effect {}

        /**
         * It hands out again all that lies behind the place: what was handled there cannot be told from what was missed.
         *
         * @param rows what it will hand out from there; null where it was not counted
         */
        record Repeats(@Nullable Watermark from, String why, CursorReport.@Nullable Preview rows) implements Effect {}

        default boolean isSound() {
            return this instanceof GoesOn;
        }

        /** Whether both do the same to a cursor, wherever it stands and however many rows there are by now. */
        default boolean isLike(Effect other) {
            return switch (this) {
                case GoesOn goesOn -> other instanceof GoesOn;
                // The place moves with every batch.
                case ReadsAgain readsAgain -> other instanceof ReadsAgain;
                case Repeats mine -> other instanceof Repeats theirs && Objects.equals(mine.from(), theirs.from());
            };
        }
    }

    public boolean changesNothing() {
        return before.equals(after);
    }

    /** Whether every cursor goes on from where it stands. */
    public boolean isSound() {
        return cursors.stream().allMatch(cursor -> cursor.effect().isSound());
    }

    /** Whether rows are handed out once more. */
    public boolean repeats() {
        return cursors.stream().anyMatch(cursor -> cursor.effect() instanceof Effect.Repeats);
    }

    /** Whether it is what was shown: of the same source, with the same effect on the same cursors. */
    boolean isLike(AlterPlan shown) {
        if (!before.equals(shown.before) || !after.equals(shown.after) || cursors.size() != shown.cursors.size()) {
            return false;
        }
        for (int n = 0; n < cursors.size(); n++) {
            ForCursor mine = cursors.get(n);
            ForCursor theirs = shown.cursors.get(n);
            if (!mine.scope().equals(theirs.scope()) || !mine.effect().isLike(theirs.effect())) {
                return false;
            }
        }
        return true;
    }
}
