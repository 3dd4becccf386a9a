package dev.oneroof.core.tail.source;

import java.util.Locale;

/** What the writers of a source promise about the order of its keys. */
public enum OrderContract {
    /** The time is the database's own {@code now()}. */
    CLOCK,
    /** The id comes from a sequence, one by one. */
    SEQUENCE,
    /** The time is set by applications; nothing is promised. Not without a time column. */
    EXTERNAL;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
