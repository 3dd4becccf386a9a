package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/** A batch would have moved the settled watermark back. Its transaction is rolled back, and the cursor is held. */
@SuppressWarnings("serial")
final class WatermarkRegression extends RuntimeException {
    WatermarkRegression(Scope scope, @Nullable Watermark from, @Nullable Watermark to) {
        super("the settled watermark of %s would move back from %s to %s".formatted(scope, from, to));
    }
}
