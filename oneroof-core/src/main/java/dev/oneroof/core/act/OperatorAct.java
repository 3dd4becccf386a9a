package dev.oneroof.core.act;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;

/**
 * The actor of an act and the reason for it. Both are recorded with the act; the database adds the login.
 */
public record OperatorAct(String actor, String reason) {
    public OperatorAct {
        demand("actor", actor);
        demand("reason", reason);
    }

    private static void demand(String field, String value) {
        if (value.isBlank() || value.length() > 500) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are 1 to 500 characters, not all blank".formatted(field, value));
        }
    }
}
