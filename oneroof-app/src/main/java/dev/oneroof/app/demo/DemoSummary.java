package dev.oneroof.app.demo;

import org.jspecify.annotations.Nullable;

/** What there was and what came of it. */
public record DemoSummary(
        long births,
        long candidates,
        boolean caughtUp,
        long collections,
        long changes,
        long owners,
        long policies,
        long seed,
        String database,
        WorkerSummary worker,
        double seconds) {

    public record WorkerSummary(
            String name, String source, @Nullable String watermark, long rowsSeen, long effectsWritten) {}
}
