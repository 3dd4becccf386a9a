package dev.oneroof.postgres.error;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why something was refused or failed: the one shape for every surface. The command prints {@link #text} and exits with the
 * code's number; HTTP answers with the parts and the code's status.
 *
 * @param field what is wrong, in the words of the caller's input; null where it is no single field
 * @param value what was given for it; never a secret
 * @param allowed what may stand there instead
 * @param detail what is wrong with it
 * @param hint what to do about it
 */
public record Problem(
        ErrorCode code,
        @Nullable String field,
        @Nullable String value,
        @Nullable String allowed,
        String detail,
        @Nullable String hint) {
    /** A whole sentence, of no single field. */
    public static Problem of(ErrorCode code, String detail) {
        return new Problem(code, null, null, null, detail, null);
    }

    /** A value that is not allowed. */
    public static Problem notAllowed(String field, String value, String allowed) {
        return new Problem(ErrorCode.INVALID_INPUT, field, value, allowed, "is not allowed", null);
    }

    /** In one line: {@code field: 'value' detail; allowed: …; hint}. */
    public String text() {
        String subject = Stream.of(field == null ? null : field + ":", value == null ? null : "'" + value + "'", detail)
                .filter(part -> part != null)
                .collect(Collectors.joining(" "));
        return Stream.of(subject, allowed == null ? null : "allowed: " + allowed, hint)
                .filter(part -> part != null)
                .collect(Collectors.joining("; "));
    }
}
