package dev.oneroof.core.tail.read;

/** A transaction that was open at a sample, by its label in {@code pg_locks}: {@code backend/number}. */
public record Holder(String label) {
    /** The session of the transaction. A prepared transaction keeps its label. */
    String backend() {
        int slash = label.indexOf('/');
        return slash < 0 ? label : label.substring(0, slash);
    }
}
