package dev.oneroof.core.gate;

/** The keys of the gates of OneRoof's own machinery; each controls one thing. */
public final class Gates {
    /** Closed: beats write nothing and silent executors are not reported. */
    public static final String HEARTBEAT = "queue.heartbeat.enabled";

    /** Closed: no wake-ups are sent; workers poll. */
    public static final String WAKE_UPS = "queue.notify.bridge_enabled";

    /** Closed: jobs are enqueued and none is leased. */
    public static final String JOBS = "queue.jobs.enabled";

    /** Closed: replays are refused. */
    public static final String REPLAY = "queue.replay.enabled";

    private Gates() {}
}
