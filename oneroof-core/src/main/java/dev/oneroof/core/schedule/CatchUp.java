package dev.oneroof.core.schedule;

import java.util.Locale;

/** The misfire policy: what happens to times that passed while no instance ran. */
public enum CatchUp {
    /** None is fired, except one that is at most a minute late, as after a restart. */
    SKIP,
    /** Only the last one is fired. */
    LAST,
    /** Each is fired. */
    ALL;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static CatchUp of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
