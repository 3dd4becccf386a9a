package dev.oneroof.core.lease;

/** What one lease covers: a worker on one shard of one source. */
public record Scope(String worker, String source, int shard) {
    public static Scope of(String worker, String source) {
        return new Scope(worker, source, 0);
    }

    /** Its name in {@code queue_heartbeat}. Neither part can hold a slash: their tables refuse it. */
    public String executorName() {
        return worker + "/" + source + "/" + shard;
    }

    @Override
    public String toString() {
        return executorName();
    }
}
