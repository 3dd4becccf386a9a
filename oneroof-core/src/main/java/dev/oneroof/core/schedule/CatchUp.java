package dev.oneroof.core.schedule;

import java.util.Locale;

/** What becomes of times that went by while nobody fired. */
public enum CatchUp {
    /** None is made up. One that is a minute late, as after a restart, is not missed yet. */
    SKIP,
    /** One firing, for the last of them. */
    LAST,
    /** A firing for each. */
    ALL;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static CatchUp of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
