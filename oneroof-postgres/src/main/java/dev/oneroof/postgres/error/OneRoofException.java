package dev.oneroof.postgres.error;

import org.jspecify.annotations.Nullable;

/**
 * The root of all that OneRoof throws on purpose. The message is written for the person who reads it: what is wrong,
 * with which value, and what is allowed or what to do. It needs no stack trace to be understood.
 */
public class OneRoofException extends RuntimeException {
    private final ErrorCode code;
    private final String message;

    public OneRoofException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public OneRoofException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.message = message;
    }

    /** What {@link #getMessage} says, and never null. */
    public String message() {
        return message;
    }

    public ErrorCode code() {
        return code;
    }
}
