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

/** The options of a job, enqueued now or by a schedule. */
public final class JobOptions {
    @Option(
            names = "--payload",
            paramLabel = "JSON",
            defaultValue = "{}",
            description = "The payload, a JSON object (default ${DEFAULT-VALUE}).")
    private String payload = "{}";

    @Option(
            names = "--priority",
            paramLabel = "N",
            defaultValue = "0",
            converter = NumberConverters.Priority.class,
            description = "0 to 100: runs before jobs of priority 0 that were enqueued up to N minutes earlier.")
    private long priority;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            converter = NumberConverters.Attempts.class,
            description = "Give up after N attempts (default: as set for the kind).")
    private @Nullable Long maxAttempts;

    public Payload payload() {
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
            // Too long or too deep for this parser; the database applies its own limits.
            return true;
        } catch (JacksonException e) {
            return false;
        }
    }

    public int priority() {
        return Math.toIntExact(priority);
    }

    @Nullable
    public Integer maxAttempts() {
        return maxAttempts == null ? null : Math.toIntExact(maxAttempts);
    }
}
