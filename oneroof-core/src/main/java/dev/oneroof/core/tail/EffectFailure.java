package dev.oneroof.core.tail;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;

/**
 * What a worker's own code, or its own statement, has raised. Nothing else is ever charged to a row: a fault of the code
 * around it has another type, and fails the pass.
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

    /** What was raised, as the worker's loop is to see it. */
    RuntimeException unwrapped() {
        for (Throwable suppressed : getSuppressed()) {
            raised.addSuppressed(suppressed);
        }
        return raised instanceof RuntimeException unchecked
                ? unchecked
                : new OneRoofException(ErrorCode.FAILED, "handler: " + raised, raised);
    }
}
