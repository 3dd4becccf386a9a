package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.SqlState;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.JdbiException;

/** Whether a failed write may succeed later, as it is. */
final class WriteFailures {
    /** Bad values, constraints, our own errors, bad statements, errors raised by triggers. */
    private static final List<String> REJECTED = List.of("22", "23", "OR", "42", "P0");

    /** A missing privilege, function or table: every write fails alike until an operator fixes it. */
    private static final Set<String> FIXED_BY_OPERATOR = Set.of("42501", "42883", "42P01");

    /** As after a failover. */
    private static final String READ_ONLY = "25006";

    private WriteFailures() {}

    /** The database or a trigger rejects the data, or the statement is wrong: a retry would fail as well. */
    static boolean isRejected(RuntimeException failure) {
        if (failure instanceof ConnectionException) {
            // No statement was sent, whatever the SQLSTATE says.
            return false;
        }
        String state = SqlState.of(failure);
        return state == null
                ? !(failure instanceof JdbiException)
                : REJECTED.stream().anyMatch(state::startsWith) && !FIXED_BY_OPERATOR.contains(state);
    }

    /** The server is unavailable or read-only: no item of the batch is the cause. */
    static boolean isServerUnavailable(RuntimeException failure) {
        return SqlState.isTransient(failure)
                || failure instanceof ConnectionException
                || READ_ONLY.equals(SqlState.of(failure));
    }
}
