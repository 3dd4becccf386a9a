package dev.oneroof.app.cli;

/** How long ago, as people say it. */
final class Ages {
    private Ages() {}

    static String ago(long seconds) {
        return text(seconds) + " ago";
    }

    static String text(long seconds) {
        if (seconds < 120) {
            return Math.max(0, seconds) + " s";
        }
        if (seconds < 7200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
    }
}
