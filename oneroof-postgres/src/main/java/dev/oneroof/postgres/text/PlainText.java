package dev.oneroof.postgres.text;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;

/** Texts that the database can hold: there is no NUL in them. */
public final class PlainText {
    private static final int SHOWN = 80;

    private PlainText() {}

    public static void demand(String field, String text) {
        if (text.indexOf('\0') >= 0) {
            String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN);
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are texts without NUL"
                            .formatted(field, shown.replace("\0", "\\u0000")));
        }
    }
}
