package dev.oneroof.core.tail;

import dev.oneroof.postgres.ServerError;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a row could not be handled: code, constraint and message, never the row.
 *
 * @param fingerprint the same for failures of one cause: quoted names and numbers in the message are left out
 */
record RowFailure(@Nullable String sqlState, String message, String fingerprint) {
    private static final int LONGEST = 500;
    private static final Pattern PARTICULARS = Pattern.compile("\"[^\"]*\"|'[^']*'|\\d+");

    // SQLStates that a row causes: data, integrity, cardinality, a raised exception, the check option of a view, a
    // value too large for its page or index, an event that is not a signal.
    private static final List<String> ROW_STATES = List.of("21", "22", "23", "44", "54", "P0", "38", "39", "OR002");

    static RowFailure of(Throwable failed) {
        Throwable thrown = failed instanceof EffectFailure effects ? effects.raised() : failed;
        ServerError server = ServerError.of(thrown);
        String message = server == null
                ? named(thrown)
                : server.constraint() == null ? server.message() : server.message() + " (" + server.constraint() + ")";
        String kind = server == null ? thrown.getClass().getName() : server.state();
        String shape = PARTICULARS.matcher(message).replaceAll("?");
        return new RowFailure(
                server == null ? null : server.state(),
                message.length() > LONGEST ? message.substring(0, LONGEST) : message,
                kind + ":" + Integer.toHexString(shape.hashCode()));
    }

    private static String named(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        return thrown.getMessage() == null ? name : name + ": " + thrown.getMessage();
    }

    /**
     * Whether the effect failed, and not the code around it: it raised an error, the server refused its rows at the
     * commit, where deferred constraints are checked, or it idled until the server ended the session, which shows in
     * the next statement.
     */
    static boolean isFromEffect(Throwable thrown) {
        boolean raised =
                thrown instanceof EffectFailure || SqlState.isOfCommit(thrown) || SqlState.isIdleTimeout(thrown);
        return raised && !InternalFault.isCauseOf(thrown);
    }

    /** Whether an effect failed because of its rows. Otherwise the same rows may succeed later, or no row would. */
    static boolean isFromRow(Throwable thrown) {
        if (!isFromEffect(thrown)) {
            return false;
        }
        ServerError server = ServerError.of(thrown);
        if (server != null) {
            return ROW_STATES.stream().anyMatch(server.state()::startsWith);
        }
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            boolean handlers = t instanceof OneRoofException known && known.code() == ErrorCode.FAILED;
            if (t instanceof SQLException
                    || t instanceof InterruptedException
                    || (t instanceof OneRoofException && !handlers)) {
                return false;
            }
        }
        return true;
    }
}
