package dev.oneroof.core.lease;

/** Whether a lease is still ours. A lost one is not an error: another instance continues. */
public enum Renewal {
    HELD,
    /** Ours as far as can be seen, and not renewed: another transaction has locked its row. */
    BUSY,
    LOST
}
