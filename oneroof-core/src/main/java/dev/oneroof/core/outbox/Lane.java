package dev.oneroof.core.outbox;

import java.util.Locale;

/** How soon an event is to be delivered. */
public enum Lane {
    IMMEDIATE,
    NORMAL;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
