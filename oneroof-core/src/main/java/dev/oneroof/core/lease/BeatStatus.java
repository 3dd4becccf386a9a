package dev.oneroof.core.lease;

import java.util.Locale;

/** The result of the pass before this beat. */
public enum BeatStatus {
    OK,
    WARN,
    ERROR;

    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
