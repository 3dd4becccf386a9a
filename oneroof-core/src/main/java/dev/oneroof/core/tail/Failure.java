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
 * @param fingerprint the same for failures of one cause: names and numbers in the message are left out
 */
record Failure(@Nullable String sqlState, String message, String fingerprint) {
    private static final int LONGEST = 500;
    private static final Pattern PARTICULARS = Pattern.compile("\"[^\"]*\"|'[^']*'|\\d+");

    // Data, integrity, cardinality, a raised exception, a view's check, a value too large for its page or index, an
    // event
    // that is no signal.
    private static final List<String> THE_ROWS_FAULT = List.of("21", "22", "23", "44", "54", "P0", "38", "39", "OR002");

    static Failure of(Throwable failed) {
        Throwable thrown = failed instanceof EffectFailure effects ? effects.raised() : failed;
        ServerError server = ServerError.of(thrown);
        String message = server == null
                ? named(thrown)
                : server.constraint() == null ? server.message() : server.message() + " (" + server.constraint() + ")";
        String kind = server == null ? thrown.getClass().getName() : server.state();
        String shape = PARTICULARS.matcher(message).replaceAll("?");
        return new Failure(
                server == null ? null : server.state(),
                message.length() > LONGEST ? message.substring(0, LONGEST) : message,
                kind + ":" + Integer.toHexString(shape.hashCode()));
    }

    private static String named(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        return thrown.getMessage() == null ? name : name + ": " + thrown.getMessage();
    }

    /**
     * Whether it was the effect that failed, and not the code around it: by what it raised, by what the server says of its
     * rows at the commit, where deferred constraints are looked at, or by idling for so long that the server has ended the
     * session, which shows in the statement that follows.
     */
    static boolean isTheEffects(Throwable thrown) {
        boolean raised =
                thrown instanceof EffectFailure || SqlState.isOfCommit(thrown) || SqlState.isIdleTimeout(thrown);
        return raised && !OwnFault.isBehind(thrown);
    }

    /** Whether an effect failed because of what it was handed; else the same rows may succeed later, or none would. */
    static boolean isTheRowsFault(Throwable thrown) {
        if (!isTheEffects(thrown)) {
            return false;
        }
        ServerError server = ServerError.of(thrown);
        if (server != null) {
            return THE_ROWS_FAULT.stream().anyMatch(server.state()::startsWith);
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
