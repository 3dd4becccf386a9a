package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.charset.StandardCharsets;

/** The one place where a name becomes part of an SQL text. */
public final class Identifiers {
    /** PostgreSQL cuts longer names silently, and two long names may then mean one object. */
    public static final int MAX_BYTES = 63;

    private Identifiers() {}

    /** The name in double quotes, safe in any statement. {@code what} names the field in the error. */
    public static String quote(String what, String name) {
        return '"' + checked(what, name).replace("\"", "\"\"") + '"';
    }

    public static String checked(String what, String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is no PostgreSQL name; allowed are 1 to %d bytes without a NUL"
                            .formatted(what, name.replace('\0', '?'), MAX_BYTES));
        }
        return name;
    }
}
