package dev.oneroof.core.tail;

/**
 * A fault of OneRoof's own code that a handler runs into while it reads its rows. It reaches us through the handler, and is
 * not the handler's.
 */
@SuppressWarnings("serial")
final class OwnFault extends RuntimeException {
    OwnFault(Exception fault) {
        super("OneRoof failed to read a row: " + fault, fault);
    }

    /** Whether it is one, or was caused by one. */
    static boolean isBehind(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof OwnFault) {
                return true;
            }
        }
        return false;
    }
}
