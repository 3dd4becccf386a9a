package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The effects of a change of a source, as shown to the operator. The change is made only if it still has the same
 * effects.
 *
 * @param changes a description of each changed field
 * @param to the watermark after which cursors replay that have to; null for as far back as each needs
 * @param warnings what the owner should know of the altered source
 */
public record AlterPlan(
        TailSource before,
        TailSource after,
        List<String> changes,
        @Nullable Watermark to,
        List<CursorChange> cursors,
        List<String> warnings) {

    /** The effect on one cursor, with its settled watermark. */
    public record CursorChange(Scope scope, @Nullable Watermark settled, Effect effect) {}

    /** The effect on a cursor's position. */
    public sealed interface Effect {
        /** The position stays valid. */
        record Continues(String why) implements Effect {}

        /**
         * The cursor reads again from the watermark, without the rows that it has handled; null is the start of the
         * source.
         */
        record Rereads(@Nullable Watermark from, String why) implements Effect {}

        /**
         * The cursor hands out all rows after the watermark again: handled rows there cannot be told from missed ones.
         *
         * @param rows how many rows it will hand out; null where they were not counted
         */
        record Replays(@Nullable Watermark from, String why, CursorReport.@Nullable Preview rows) implements Effect {}

        default boolean isSound() {
            return this instanceof Continues;
        }

        /** Whether both have the same effect on a cursor, whatever its position and the number of rows by now. */
        default boolean isLike(Effect other) {
            return switch (this) {
                case Continues continues -> other instanceof Continues;
                // The watermark moves with every batch.
                case Rereads rereads -> other instanceof Rereads;
                case Replays mine -> other instanceof Replays theirs && Objects.equals(mine.from(), theirs.from());
            };
        }
    }

    public boolean changesNothing() {
        return before.equals(after);
    }

    /** Whether every cursor continues from its position. */
    public boolean isSound() {
        return cursors.stream().allMatch(cursor -> cursor.effect().isSound());
    }

    /** Whether rows are handed out again. */
    public boolean replays() {
        return cursors.stream().anyMatch(cursor -> cursor.effect() instanceof Effect.Replays);
    }

    /** Whether this is the plan that was shown: the same source, with the same effect on the same cursors. */
    boolean isLike(AlterPlan shown) {
        if (!before.equals(shown.before) || !after.equals(shown.after) || cursors.size() != shown.cursors.size()) {
            return false;
        }
        for (int n = 0; n < cursors.size(); n++) {
            CursorChange mine = cursors.get(n);
            CursorChange theirs = shown.cursors.get(n);
            if (!mine.scope().equals(theirs.scope()) || !mine.effect().isLike(theirs.effect())) {
                return false;
            }
        }
        return true;
    }
}
