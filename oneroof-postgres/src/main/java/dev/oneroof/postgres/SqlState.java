package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/** What PostgreSQL's error codes mean to OneRoof. Message texts are translated and change; codes do not. */
public final class SqlState {
    // A statement past its timeout, and a session that idled in its transaction for too long.
    private static final String IDLED_IN_TRANSACTION = "25P03";
    private static final Set<String> TOOK_TOO_LONG = Set.of("57014", IDLED_IN_TRANSACTION);
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    // Class OR is our own: what OneRoof's functions raise.
    private static final String EVENT_TYPE_UNKNOWN = "OR001";
    private static final String NO_SIGNAL = "OR002";
    private static final String NOT_REGISTERED = "OR003";
    private static final String NOT_GRANTED = "OR004";
    // What our functions raise for arguments, and the server for texts that it cannot hold: a NUL, half a surrogate.
    private static final Set<String> BAD_ARGUMENT = Set.of("22023", "22P05", "22021", "22P02", "22007", "22008");
    private static final Set<String> NOT_IN_THIS_STATE = Set.of("55000", "55006");

    // The driver's own: the server asks for what the driver has not, or may not give.
    private static final String REFUSED_BY_DRIVER = "08004";
    private static final Set<String> LOGIN_REFUSED = Set.of("28000", "28P01", REFUSED_BY_DRIVER);
    private static final Set<String> PRIVILEGE_MISSING = Set.of("42501");
    // Server gone, refusing or not yet there; class 08 is added below.
    private static final Set<String> OUT_OF_REACH = Set.of("57P01", "57P02", "57P03", "53300", "3D000");
    // Another session did the same at the same moment. XX000 is "tuple concurrently updated", which GRANT raises.
    private static final Set<String> COLLISION = Set.of("42710", "23505", "XX000", "40001", "40P01", "42P06");

    private SqlState() {}

    /** The code of the first SQLException in the chain of causes, or null. */
    public static @Nullable String of(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }

    public static boolean isLoginRefused(Throwable failure) {
        return in(LOGIN_REFUSED, failure);
    }

    public static boolean isPrivilegeMissing(Throwable failure) {
        return in(PRIVILEGE_MISSING, failure);
    }

    public static boolean isOutOfReach(Throwable failure) {
        String state = of(failure);
        return state != null && (state.startsWith("08") || OUT_OF_REACH.contains(state));
    }

    public static boolean isCollision(Throwable failure) {
        return in(COLLISION, failure);
    }

    public static boolean isTimeout(Throwable failure) {
        return in(TOOK_TOO_LONG, failure);
    }

    /** The session idled in its transaction for too long and was ended; told by the statement that came next. */
    public static boolean isIdleTimeout(Throwable failure) {
        return IDLED_IN_TRANSACTION.equals(of(failure));
    }

    /** It was the COMMIT that failed: for what was deferred until then, or because its answer did not arrive. */
    public static boolean isOfCommit(Throwable failure) {
        return failure instanceof TransactionException;
    }

    public static boolean isLockTimeout(Throwable failure) {
        return LOCK_NOT_AVAILABLE.equals(of(failure));
    }

    /** Somebody else was in the way, or it took too long: the same may well succeed once they are done. */
    public static boolean isHeldUp(Throwable failure) {
        String state = of(failure);
        return state != null
                && (state.startsWith("40") || state.equals(LOCK_NOT_AVAILABLE) || TOOK_TOO_LONG.contains(state));
    }

    /** What will not go better by itself: the database, or one of our functions, refuses a value. */
    public static boolean isRefused(Throwable failure) {
        String state = of(failure);
        return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("OR"));
    }

    /** An event's type is not registered, or not active. */
    public static boolean isEventTypeUnknown(Throwable failure) {
        return EVENT_TYPE_UNKNOWN.equals(of(failure));
    }

    /** An event carries contents instead of an address. */
    public static boolean isNoSignal(Throwable failure) {
        return NO_SIGNAL.equals(of(failure));
    }

    /** What kind of refusal it is that one of our functions has raised; null for any other failure. */
    public static @Nullable ErrorCode refusal(Throwable failure) {
        String state = String.valueOf(of(failure));
        if (state.equals(NO_SIGNAL) || BAD_ARGUMENT.contains(state)) {
            return ErrorCode.INVALID_INPUT;
        }
        if (state.equals(NOT_REGISTERED) || state.equals(EVENT_TYPE_UNKNOWN)) {
            return ErrorCode.NOT_FOUND;
        }
        if (state.equals(NOT_GRANTED)) {
            return ErrorCode.PRIVILEGE_MISSING;
        }
        return NOT_IN_THIS_STATE.contains(state) ? ErrorCode.CONFLICT : null;
    }

    /** The answer of one of our functions; what it refuses is refused in its words. */
    public static <R> R explained(Supplier<R> call) {
        try {
            return call.get();
        } catch (JdbiException e) {
            ErrorCode code = refusal(e);
            throw code == null ? e : new OneRoofException(code, message(e), e);
        }
    }

    /** What the server said, in its own first words: without severity, detail and hint. */
    public static String message(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof PSQLException sql
                    && sql.getServerErrorMessage() != null
                    && sql.getServerErrorMessage().getMessage() != null) {
                return sql.getServerErrorMessage().getMessage();
            }
        }
        return String.valueOf(failure.getMessage());
    }

    /** True when the same statement may well succeed in a moment: nobody's fault, nothing to mend. */
    public static boolean isTransient(Throwable failure) {
        String state = of(failure);
        return state == null
                ? isOutOfConnections(failure)
                : (state.startsWith("08")
                        || state.startsWith("40")
                        || state.startsWith("53")
                        || state.startsWith("57P")
                        || state.equals(LOCK_NOT_AVAILABLE));
    }

    /** A pool says so without a code. */
    private static boolean isOutOfConnections(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLTransientConnectionException) {
                return true;
            }
        }
        return false;
    }

    private static boolean in(Set<String> states, Throwable failure) {
        String state = of(failure);
        return state != null && states.contains(state);
    }
}
