package dev.oneroof.postgres.text;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as people write them: 500ms, 30s, 10m, 2h, 1d. */
public final class DurationText {
    private DurationText() {}

    /** In the largest unit that keeps it whole. */
    public static String of(Duration duration) {
        if (duration.getNano() != 0) {
            return inPartsOfASecond(duration);
        }
        long seconds = duration.getSeconds();
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds / 3600 + "h";
    }

    private static String inPartsOfASecond(Duration duration) {
        BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
        return duration.getNano() % 1_000_000 == 0
                ? seconds.movePointRight(3).toBigInteger() + "ms"
                : seconds.stripTrailingZeros().toPlainString() + "s";
    }
}
