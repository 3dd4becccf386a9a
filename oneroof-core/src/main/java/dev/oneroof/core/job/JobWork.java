package dev.oneroof.core.job;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import org.jspecify.annotations.Nullable;

/**
 * What a process does with jobs of a kind: one of the two handlers.
 *
 * @param atOnce how many of them at a time, in this process
 */
public record JobWork(
        JobKind kind,
        int atOnce,
        @Nullable JobHandler handler,
        @Nullable TxJobHandler inTx) {
    public JobWork {
        if (atOnce < 1 || atOnce > 10_000) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "at_once: '%d' is not allowed; allowed are 1 to 10000".formatted(atOnce));
        }
    }
}
