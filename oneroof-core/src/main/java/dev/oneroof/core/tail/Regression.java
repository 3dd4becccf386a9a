package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/** A batch would have taken the settled watermark back. Its transaction is rolled back, and the cursor holds. */
@SuppressWarnings("serial")
final class Regression extends RuntimeException {
    Regression(Scope scope, @Nullable Watermark from, @Nullable Watermark to) {
        super("the settled watermark of %s would go back from %s to %s".formatted(scope, from, to));
    }
}
