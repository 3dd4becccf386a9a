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
        Files files,
        double seconds) {
    /**
     * Documents among the births, marked by jobs.
     *
     * @param jobs how many that are to mark them are alive
     */
    public record Files(long files, long marked, long jobs) {
        public boolean areDone() {
            return marked >= files;
        }
    }

    public record WorkerSummary(
            String name, String source, @Nullable String watermark, long rowsSeen, long effectsWritten) {}
}
