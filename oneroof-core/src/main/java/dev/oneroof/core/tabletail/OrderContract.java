package dev.oneroof.core.tabletail;

import java.util.Locale;

/** What the writers of a source promise about the order of its keys. */
public enum OrderContract {
    /** The time is the database's own {@code now()}. */
    CLOCK,
    /** The id comes from a sequence, one by one. */
    SEQUENCE,
    /** Keys are made by applications; nothing is promised. */
    EXTERNAL;

    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
