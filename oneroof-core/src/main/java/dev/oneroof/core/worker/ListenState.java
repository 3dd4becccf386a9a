package dev.oneroof.core.worker;

import java.util.Locale;

/** Whether an instance receives wake-ups. Without them its workers still poll. */
public enum ListenState {
    /** No worker of the instance waits for wake-ups. */
    OFF,
    CONNECTING,
    LISTENING,
    /** Connected, and a test notification did not arrive: a proxy that pools transactions causes this. */
    NOT_RECEIVING;

    /** As operators see it, in {@code queue_heartbeat} and in lists. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
