package dev.oneroof.core.worker;

import java.util.Locale;

/** How well an instance hears wake-ups. Deaf, it works all the same: workers look by themselves. */
public enum Ear {
    /** Nobody here waits for wake-ups. */
    OFF,
    CONNECTING,
    LISTENING,
    /** Connected, and what was sent to it has not come: a proxy that pools transactions does so. */
    DEAF;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
