package dev.oneroof.testkit.check;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Something that a test should not have left, told so that its origin can be found. */
public record Leftover(
        Kind kind, String description, @Nullable Throwable origin) {
    Leftover(Kind kind, String description) {
        this(kind, description, null);
    }

    /** What can be left. */
    public enum Kind {
        CONNECTION("connection left open"),
        TRANSACTION("transaction left open"),
        LOCK("lock left held"),
        PREPARED_TRANSACTION("prepared transaction left"),
        THREAD("thread left running"),
        INVARIANT("invariant broken");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** One failure for all of them, with the stacks of their origins. */
    public static AssertionError failure(List<Leftover> leftovers) {
        AssertionError failure = new AssertionError(leftovers.stream()
                .map(leftover -> leftover.kind.words + ": " + leftover.description)
                .collect(Collectors.joining("\n  ", "The test did not clean up:\n  ", "")));
        for (Leftover leftover : leftovers) {
            if (leftover.origin != null) {
                failure.addSuppressed(leftover.origin);
            }
        }
        return failure;
    }
}
