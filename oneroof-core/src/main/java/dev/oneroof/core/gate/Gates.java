package dev.oneroof.core.gate;

/** The keys of the gates that stand before OneRoof's own machinery; each has its own effect alone. */
public final class Gates {
    /** Closed: beats write nothing and nobody is looked for. */
    public static final String HEARTBEAT = "queue.heartbeat.enabled";

    /** Closed: nobody is woken. */
    public static final String WAKE_UPS = "queue.notify.bridge_enabled";

    /** Closed: jobs are enqueued, and none is leased. */
    public static final String JOBS = "queue.jobs.enabled";

    /** Closed: no replay. */
    public static final String REPLAY = "queue.replay.enabled";

    private Gates() {}
}
