package dev.oneroof.app.doctor;

import org.jspecify.annotations.Nullable;

/**
 * The result of one check.
 *
 * @param fix the command or statement that fixes the problem; null where there is none
 */
public record CheckResult(
        String check,
        Level level,
        String evidence,
        @Nullable String fix) {
    /** A failed check stops work or loses time now; a warning may do so later. */
    public enum Level {
        OK,
        WARN,
        FAIL
    }

    static CheckResult ok(String check, String evidence) {
        return new CheckResult(check, Level.OK, evidence, null);
    }

    static CheckResult warn(String check, String evidence, String fix) {
        return new CheckResult(check, Level.WARN, evidence, fix);
    }

    static CheckResult fail(String check, String evidence, String fix) {
        return new CheckResult(check, Level.FAIL, evidence, fix);
    }
}
