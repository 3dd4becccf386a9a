package dev.oneroof.app.cli;

import dev.oneroof.core.operator.StatusReport;

/** Ages in the largest unit that fits: seconds, minutes, hours or days. */
public final class AgeText {
    private AgeText() {}

    public static String ago(long seconds) {
        return text(seconds) + " ago";
    }

    public static String text(long seconds) {
        return StatusReport.age(seconds);
    }
}
