package dev.oneroof.app.cli;

/** Ages in the largest unit that fits: seconds, minutes, hours or days. */
public final class AgeText {
    private AgeText() {}

    public static String ago(long seconds) {
        return text(seconds) + " ago";
    }

    public static String text(long seconds) {
        if (seconds < 120) {
            return Math.max(0, seconds) + " s";
        }
        if (seconds < 7200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
    }
}
