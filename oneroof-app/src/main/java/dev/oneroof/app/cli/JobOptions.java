package dev.oneroof.app.cli;

import dev.oneroof.core.signal.Payload;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What can be said of a job, be it enqueued now or by the clock. */
final class JobOptions {
    @Option(
            names = "--payload",
            paramLabel = "JSON",
            defaultValue = "{}",
            description = "An object of addresses and figures; nothing without it.")
    private String payload = "{}";

    @Option(
            names = "--priority",
            paramLabel = "N",
            defaultValue = "0",
            converter = Numbers.Priority.class,
            description = "0 to 100: goes before others of priority 0 that came up to so many minutes earlier.")
    private long priority;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            converter = Numbers.Attempts.class,
            description = "Give up after so many; without it as its kind says.")
    private @Nullable Long maxAttempts;

    Payload payload() {
        return new Payload(payload);
    }

    int priority() {
        return Math.toIntExact(priority);
    }

    @Nullable
    Integer maxAttempts() {
        return maxAttempts == null ? null : Math.toIntExact(maxAttempts);
    }
}
