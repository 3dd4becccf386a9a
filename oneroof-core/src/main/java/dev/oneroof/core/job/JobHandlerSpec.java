package dev.oneroof.core.job;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import org.jspecify.annotations.Nullable;

/**
 * How a process runs jobs of a kind, by one of the two handlers.
 *
 * @param atOnce the concurrency: how many run at a time in this process
 */
public record JobHandlerSpec(
        JobKind kind,
        int atOnce,
        @Nullable JobHandler handler,
        @Nullable TxJobHandler inTx) {
    public JobHandlerSpec {
        if (atOnce < 1 || atOnce > 10_000) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "at_once: '%d' is not allowed; allowed are 1 to 10000".formatted(atOnce));
        }
    }
}
