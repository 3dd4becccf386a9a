package dev.oneroof.core.tail.source;

import java.util.Locale;

/** What a tail does with rows whose position in the order is not settled yet. */
public enum Mode {
    /** Hands them out at once; late ones follow out of order. */
    PROMPT,
    /** Waits until the order is settled, and keeps it. */
    STRICT;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
