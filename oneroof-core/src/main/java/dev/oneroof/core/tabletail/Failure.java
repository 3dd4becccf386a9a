package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.ServerError;
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

    static Failure of(Throwable thrown) {
        ServerError server = ServerError.of(thrown);
        String message = server == null
                ? thrown.getClass().getSimpleName() + ": " + thrown.getMessage()
                : server.constraint() == null ? server.message() : server.message() + " (" + server.constraint() + ")";
        String kind = server == null ? thrown.getClass().getName() : server.state();
        String shape = PARTICULARS.matcher(message).replaceAll("?");
        return new Failure(
                server == null ? null : server.state(),
                message.length() > LONGEST ? message.substring(0, LONGEST) : message,
                kind + ":" + Integer.toHexString(shape.hashCode()));
    }

    /** Whether an effect failed because of what it was handed; else the same rows may succeed later, or none would. */
    static boolean isTheRowsFault(Throwable thrown) {
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
