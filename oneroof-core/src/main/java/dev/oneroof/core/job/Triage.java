package dev.oneroof.core.job;

import java.util.Locale;

/** The triage state of a dead letter. */
public enum Triage {
    /** Not triaged yet. */
    NEW,
    INVESTIGATING,
    /** It may be replayed. */
    MANUAL_REPLAY,
    /** Final: it was replayed, or will not be. */
    CLOSED;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Triage of(String sql) {
        return valueOf(sql.toUpperCase(Locale.ROOT));
    }
}
