package dev.oneroof.core.tail.read;

/** A transaction that was open when somebody looked, by the label it bears in {@code pg_locks}: {@code backend/number}. */
public record Holder(String label) {
    /** The session it runs in. Labels of one session follow each other; a prepared transaction keeps its own. */
    String backend() {
        int slash = label.indexOf('/');
        return slash < 0 ? label : label.substring(0, slash);
    }
}
