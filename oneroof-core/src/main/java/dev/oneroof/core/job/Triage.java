package dev.oneroof.core.job;

import java.util.Locale;

/** What is to become of a dead letter, as far as somebody has said so. */
public enum Triage {
    /** Nobody has looked at it. */
    NEW,
    INVESTIGATING,
    /** It may be replayed. */
    MANUAL_REPLAY,
    /** The end: it was replayed, or will not be. */
    CLOSED;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Triage of(String sql) {
        return valueOf(sql.toUpperCase(Locale.ROOT));
    }
}
