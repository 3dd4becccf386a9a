package dev.oneroof.core.feature;

import org.jspecify.annotations.Nullable;

/**
 * One check and its result.
 *
 * @param fix the command or statement that fixes it; null where nothing is wrong
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

    public static CheckResult ok(String check, String evidence) {
        return new CheckResult(check, Level.OK, evidence, null);
    }

    public static CheckResult warn(String check, String evidence, String fix) {
        return new CheckResult(check, Level.WARN, evidence, fix);
    }

    public static CheckResult fail(String check, String evidence, String fix) {
        return new CheckResult(check, Level.FAIL, evidence, fix);
    }
}
