package dev.oneroof.app.cli;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

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
        if (!isObject()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "payload: '%s' is not allowed; allowed is a JSON object, such as {\"ref\": 7}"
                            .formatted(Columns.brief(payload)));
        }
        return new Payload(payload);
    }

    private boolean isObject() {
        try {
            return JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build()
                    .readTree(payload)
                    .isObject();
        } catch (StreamConstraintsException e) {
            // Too long or too deep for this reader; the database says what it allows.
            return true;
        } catch (JacksonException e) {
            return false;
        }
    }

    int priority() {
        return Math.toIntExact(priority);
    }

    @Nullable
    Integer maxAttempts() {
        return maxAttempts == null ? null : Math.toIntExact(maxAttempts);
    }
}
