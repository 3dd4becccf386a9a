package dev.oneroof.core.lease;

/** What one lease covers: a worker on one shard of one source. */
public record Scope(String worker, String source, int shard) {
    public static Scope of(String worker, String source) {
        return new Scope(worker, source, 0);
    }

    /** The scope of this name in {@code queue_heartbeat}; the source of a process's own scope may contain slashes. */
    public static Scope ofExecutor(String name) {
        int first = name.indexOf('/');
        int last = name.lastIndexOf('/');
        return new Scope(
                name.substring(0, first), name.substring(first + 1, last), Integer.parseInt(name.substring(last + 1)));
    }

    /** Its name in {@code queue_heartbeat}. The worker contains no slash, nor does a tailed source: their tables refuse it. */
    public String executorName() {
        return worker + "/" + source + "/" + shard;
    }

    @Override
    public String toString() {
        return executorName();
    }
}
