package dev.oneroof.postgres.error;

/**
 * What went wrong, in one word that a script can rely on. The exit code of the command and the status of an HTTP
 * answer both follow from it, here and nowhere else.
 */
public enum ErrorCode {
    INVALID_INPUT(2, 400),
    UNKNOWN_CONFIG_KEY(2, 400),
    NOT_FOUND(4, 404),
    HOME_IN_USE(5, 409),
    PORT_IN_USE(5, 409),
    SCHEMA_NEWER(5, 409),
    SCHEMA_DIFFERENT(5, 409),
    CONFLICT(5, 409),
    HOME_NOT_WRITABLE(6, 403),
    HOME_NOT_TRUSTED(6, 403),
    LOGIN_REFUSED(6, 403),
    PRIVILEGE_MISSING(6, 403),
    DATABASE_UNREACHABLE(69, 503),
    SERVER_NOT_SUPPORTED(1, 500),
    EMBEDDED_SERVER_FAILED(1, 500),
    INTERRUPTED(130, 503),
    FAILED(1, 500);

    private final int exitCode;
    private final int httpStatus;

    ErrorCode(int exitCode, int httpStatus) {
        this.exitCode = exitCode;
        this.httpStatus = httpStatus;
    }

    public int exitCode() {
        return exitCode;
    }

    public int httpStatus() {
        return httpStatus;
    }
}
