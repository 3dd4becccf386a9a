package dev.oneroof.core.tail;

/**
 * A fault of OneRoof's own code while a handler reads its rows. It passes through the handler, and is not charged to
 * it.
 */
@SuppressWarnings("serial")
final class InternalFault extends RuntimeException {
    InternalFault(Exception fault) {
        super("OneRoof failed to read a row: " + fault, fault);
    }

    /** Whether the exception is such a fault, or was caused by one. */
    static boolean isCauseOf(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof InternalFault) {
                return true;
            }
        }
        return false;
    }
}
