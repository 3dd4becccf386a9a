package dev.oneroof.core.outbox;

import java.util.Locale;

/** How much an event matters. */
public enum Severity {
    INFO,
    WARNING,
    CRITICAL;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
