package dev.oneroof.core.lease;

/** Whether a lease is still ours. A lost one is no error: another instance goes on. */
public enum Renewal {
    HELD,
    /** Ours as far as can be told, and not renewed: somebody has its row locked. */
    BUSY,
    LOST
}
