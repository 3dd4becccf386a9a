package dev.oneroof.testkit.check;

import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.check.Leftover.Kind;
import dev.oneroof.testkit.server.OpenConnection;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sessions, transactions and locks that a test has left. Both sides are asked: the connections handed out
 * know where they were opened, the server knows those that came by another way, from a pool or a separate process. Of
 * the latter one can slip by: the driver closes what has become garbage, and that may happen within the grace.
 */
public final class DatabaseLeftovers {
    /** A closed connection is gone for the client at once and for the server a moment later. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private static final String SESSIONS = """
            SELECT s.pid,
                   s.application_name,
                   coalesce(s.state, 'starting') AS state,
                   s.xact_start IS NOT NULL AS in_transaction,
                   left(coalesce(s.query, ''), 200) AS query,
                   (SELECT string_agg(concat_ws(' ',
                                                l.locktype,
                                                coalesce(l.relation::regclass::text, l.objid::text),
                                                l.mode,
                                                CASE WHEN NOT l.granted THEN '(waiting)' END),
                                      ', ')
                    FROM pg_locks l
                    -- Every transaction has its own two ids locked; that it is open is told already.
                    WHERE l.pid = s.pid AND l.locktype NOT IN ('virtualxid', 'transactionid')) AS locks
            FROM pg_stat_activity s
            WHERE s.datname = current_database()
              AND s.pid <> pg_backend_pid()
              AND s.backend_type IN ('client backend', 'walsender')
            ORDER BY s.backend_start
            """;

    private DatabaseLeftovers() {}

    public static List<Leftover> in(TestDatabase database) {
        Map<Integer, OpenConnection> open = database.openConnections().stream()
                .collect(Collectors.toMap(OpenConnection::pid, Function.identity(), (a, b) -> b));
        if (!database.reachable()) {
            return open.values().stream().map(DatabaseLeftovers::connection).toList();
        }
        return database.inspect(sql -> {
            List<Leftover> found = new ArrayList<>();
            List<Session> sessions = sessionsAfterGrace(database, sql, open.keySet());
            sessions.forEach(session -> session.addTo(found, open.get(session.pid)));
            Set<Integer> alive = sessions.stream().map(Session::pid).collect(Collectors.toSet());
            open.values().stream()
                    .filter(connection -> !alive.contains(connection.pid()))
                    .map(DatabaseLeftovers::connection)
                    .forEach(found::add);
            found.addAll(preparedTransactions(sql));
            return found;
        });
    }

    private static List<Session> sessionsAfterGrace(TestDatabase database, Sql sql, Set<Integer> knownToBeOpen) {
        boolean settled = Await.upTo(GRACE).holds(() -> {
            // Again and again: a pool that was closed gives its connections back from beside.
            database.endIdleSessions();
            return knownToBeOpen.containsAll(pids(sessions(sql)));
        });
        List<Session> sessions = sessions(sql);
        // What ended between the two looks is not left.
        return settled
                ? sessions.stream().filter(s -> knownToBeOpen.contains(s.pid)).toList()
                : sessions;
    }

    private static Set<Integer> pids(List<Session> sessions) {
        return sessions.stream().map(Session::pid).collect(Collectors.toSet());
    }

    private static List<Session> sessions(Sql sql) {
        return sql.list(
                row -> new Session(
                        row.getInt("pid"),
                        row.getString("application_name"),
                        row.getString("state"),
                        row.getBoolean("in_transaction"),
                        row.getString("query"),
                        row.getString("locks")),
                SESSIONS);
    }

    private static List<Leftover> preparedTransactions(Sql sql) {
        return sql.list(
                row -> new Leftover(Kind.PREPARED_TRANSACTION, "'" + row.getString(1) + "', owner " + row.getString(2)),
                "SELECT gid, owner FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared");
    }

    /** One that the server no longer knows, and that its user has still not closed. */
    private static Leftover connection(OpenConnection connection) {
        return new Leftover(
                Kind.CONNECTION, "pid " + connection.pid() + ", ended by the server", connection.openedAt());
    }

    private record Session(
            int pid,
            String application,
            String state,
            boolean inTransaction,
            String query,
            @Nullable String locks) {
        void addTo(List<Leftover> found, @Nullable OpenConnection known) {
            Throwable origin = known == null ? null : known.openedAt();
            String session = "pid %d, application '%s', %s, last query: %s"
                    .formatted(pid, application, state, query.replaceAll("\\s+", " "));
            found.add(new Leftover(Kind.CONNECTION, session, origin));
            if (inTransaction) {
                found.add(new Leftover(Kind.TRANSACTION, session));
            }
            if (locks != null) {
                found.add(new Leftover(Kind.LOCK, "pid " + pid + ": " + locks));
            }
        }
    }
}
