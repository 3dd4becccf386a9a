package dev.oneroof.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What the server said, without the DETAIL: that one prints the row.
 *
 * @param state the SQLSTATE
 * @param constraint the constraint that was violated, where it was one
 */
public record ServerError(
        String state, String message, @Nullable String constraint) {
    /** Of the first SQLException with a state in the chain of causes; null when there is none. */
    public static @Nullable ServerError of(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && sql.getSQLState() != null) {
                ServerErrorMessage said = t instanceof PSQLException server ? server.getServerErrorMessage() : null;
                String message = said == null ? sql.getMessage() : said.getMessage();
                return new ServerError(
                        sql.getSQLState(),
                        message == null ? "no message" : message,
                        said == null ? null : said.getConstraint());
            }
        }
        return null;
    }
}
