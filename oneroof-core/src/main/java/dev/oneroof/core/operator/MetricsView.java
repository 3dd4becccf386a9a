package dev.oneroof.core.operator;

import java.util.List;

/** Figures for a monitor. */
public record MetricsView(List<CursorLag> cursors, List<KindBacklog> jobs) {
    public static final MetricsView EMPTY = new MetricsView(List.of(), List.of());

    /**
     * A cursor's lag.
     *
     * @param lagSeconds the age of its head while it has rows to read; 0 while it is quiet or its source has no time
     * @param settledLagSeconds the same of its settled watermark
     */
    public record CursorLag(String worker, String source, double lagSeconds, double settledLagSeconds) {}

    /**
     * What waits of a job kind.
     *
     * @param waitSeconds how long the oldest due job waits
     */
    public record KindBacklog(String kind, long queued, long leased, double waitSeconds) {}
}
