package dev.oneroof.core.lease;

import java.util.Locale;

/** How the pass before this beat went. */
public enum BeatStatus {
    OK,
    WARN,
    ERROR;

    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
