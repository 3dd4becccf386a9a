package dev.oneroof.core.tail;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;

/**
 * An error raised by the worker's own code or statement. Only this can be charged to a row: a fault of the code around
 * it has another type, and fails the pass.
 */
@SuppressWarnings("serial")
final class EffectFailure extends RuntimeException {
    private final Throwable raised;

    EffectFailure(Throwable raised) {
        super(raised);
        this.raised = raised;
    }

    Throwable raised() {
        return raised;
    }

    /** The error that was raised, for the worker's loop. */
    RuntimeException unwrapped() {
        for (Throwable suppressed : getSuppressed()) {
            raised.addSuppressed(suppressed);
        }
        return raised instanceof RuntimeException unchecked
                ? unchecked
                : new OneRoofException(ErrorCode.FAILED, "handler: " + raised, raised);
    }
}
