package dev.oneroof.app.doctor;

import org.jspecify.annotations.Nullable;

/**
 * One check and how it came out.
 *
 * @param mend the command or statement that mends it; null where nothing is to be mended
 */
public record Checked(
        String check,
        Level level,
        String evidence,
        @Nullable String mend) {
    /** A failed check stops work or loses time now; a warning may do so later. */
    public enum Level {
        OK,
        WARN,
        FAIL
    }

    static Checked ok(String check, String evidence) {
        return new Checked(check, Level.OK, evidence, null);
    }

    static Checked warn(String check, String evidence, String mend) {
        return new Checked(check, Level.WARN, evidence, mend);
    }

    static Checked fail(String check, String evidence, String mend) {
        return new Checked(check, Level.FAIL, evidence, mend);
    }
}
