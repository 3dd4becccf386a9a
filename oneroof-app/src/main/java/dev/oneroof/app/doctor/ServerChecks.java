package dev.oneroof.app.doctor;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.core.feature.CheckResult;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.Tls;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.jdbc.SslMode;

/** Checks of the server and the connection to it. */
final class ServerChecks {
    private static final int NEWEST_KNOWN = 18;
    private static final double SKEW_SECONDS = 2;

    // As the login, which may see more than the role of the workers.
    private static final String OPEN = """
            SELECT format('pid %s of %s', a.pid, a.usename) AS session,
                   extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds,
                   format('SELECT pg_terminate_backend(%s)', a.pid) AS fix
            FROM pg_catalog.pg_stat_activity a
            WHERE a.datname = current_database() AND a.xact_start < clock_timestamp() - make_interval(secs => ?)
              AND a.backend_type = 'client backend'
            UNION ALL
            SELECT format('the prepared transaction %L of %s', p.gid, p.owner),
                   extract(epoch FROM clock_timestamp() - p.prepared)::bigint,
                   format('ROLLBACK PREPARED %L, or COMMIT PREPARED %1$L', p.gid)
            FROM pg_catalog.pg_prepared_xacts p
            WHERE p.database = current_database() AND p.prepared < clock_timestamp() - make_interval(secs => ?)
            ORDER BY 2 DESC
            LIMIT 5
            """;

    // The start of another role's transaction is hidden from a login without pg_read_all_stats; its existence is not.
    // One
    // that is still open two seconds later is not a short one.
    private static final String HIDDEN = """
            SELECT l.virtualtransaction || ' of ' || coalesce(a.usename, '?')
            FROM pg_catalog.pg_locks l
            JOIN pg_catalog.pg_stat_activity a USING (pid)
            WHERE l.locktype = 'virtualxid' AND l.granted AND a.datname = current_database()
              AND a.xact_start IS NULL AND a.state IS NULL AND a.usename <> session_user
            ORDER BY l.pid
            """;

    private final AppConfig config;
    private final DatabaseAddress address;

    ServerChecks(AppConfig config, DatabaseAddress address) {
        this.config = config;
        this.address = address;
    }

    CheckResult version() {
        try (Connection connection = connect()) {
            int major = connection.getMetaData().getDatabaseMajorVersion();
            String evidence =
                    "PostgreSQL %s at %s".formatted(connection.getMetaData().getDatabaseProductVersion(), address);
            return major > NEWEST_KNOWN
                    ? CheckResult.warn("server", evidence, "OneRoof is tested on 14 to " + NEWEST_KNOWN)
                    : CheckResult.ok("server", evidence);
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }

    /** How the connection is protected, and which setting chose it. */
    CheckResult tls() {
        Tls tls = Tls.of(address);
        try (Connection connection = connect()) {
            String version = value(
                    connection,
                    "SELECT coalesce(max(version), '') FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl");
            String evidence = "%s, %s".formatted(version.isEmpty() ? "not encrypted" : version, tls.described());
            return tls.mode() == SslMode.VERIFY_FULL || address.isLoopback()
                    ? CheckResult.ok("tls", evidence)
                    : CheckResult.warn("tls", evidence, "sslmode=verify-full in the URL, or PGSSLMODE=verify-full");
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }

    /** Leases and beats use the server's clock only; logs of this machine should agree with it. */
    CheckResult clock() {
        try (Connection connection = connect()) {
            long before = System.currentTimeMillis();
            double server = Double.parseDouble(value(connection, "SELECT extract(epoch FROM clock_timestamp())"));
            double here = (before + System.currentTimeMillis()) / 2000.0;
            double skew = server - here;
            String evidence = "the server's clock is %.1f s %s this machine's"
                    .formatted(Math.abs(skew), skew < 0 ? "behind" : "ahead of");
            return Math.abs(skew) > SKEW_SECONDS
                    ? CheckResult.warn("clock", evidence, "synchronise both machines by NTP")
                    : CheckResult.ok("clock", evidence);
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }

    /** Behind a proxy that pools transactions each transaction may get another session; LISTEN and SET do not last then. */
    CheckResult proxy() {
        try (Connection one = connect();
                Connection two = connect()) {
            run(one, "SET application_name = 'oneroof doctor 1'");
            String pid = value(one, "SELECT pg_backend_pid()");
            // Takes the server session that is free now.
            two.setAutoCommit(false);
            run(two, "SET LOCAL application_name = 'oneroof doctor 2'");
            boolean same = pid.equals(value(one, "SELECT pg_backend_pid()"))
                    && value(one, "SHOW application_name").equals("oneroof doctor 1");
            two.rollback();
            return same
                    ? CheckResult.ok("proxy", "sessions stay the same from one transaction to the next")
                    : CheckResult.warn(
                            "proxy",
                            "the session changes between transactions: a proxy pools transactions, and wake-ups are not received",
                            "connect to the server directly, or let the proxy pool sessions");
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }

    /** @param olderThan shorter ones are normal */
    List<CheckResult> openTransactions(Duration olderThan) {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(OPEN)) {
            List<CheckResult> found = new ArrayList<>();
            double seconds = olderThan.toMillis() / 1000.0;
            statement.setDouble(1, seconds);
            statement.setDouble(2, seconds);
            try (ResultSet open = statement.executeQuery()) {
                while (open.next()) {
                    found.add(CheckResult.warn(
                            "open transactions",
                            "%s has been open for %d s and holds back the settled watermarks"
                                    .formatted(open.getString("session"), open.getLong("seconds")),
                            open.getString("fix")));
                }
            }
            List<String> hidden = values(connection, HIDDEN);
            if (!hidden.isEmpty()) {
                run(connection, "SELECT pg_sleep(2)");
                hidden.retainAll(values(connection, HIDDEN));
            }
            if (!hidden.isEmpty()) {
                found.add(CheckResult.warn(
                        "open transactions",
                        "open, with a start time that this login may not see: " + String.join(", ", hidden),
                        "GRANT pg_read_all_stats TO the login, or run doctor as an administrator"));
            }
            return found.isEmpty()
                    ? List.of(CheckResult.ok(
                            "open transactions", "none is older than %d minutes".formatted(olderThan.toMinutes())))
                    : found;
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }

    private Connection connect() throws SQLException {
        return Connections.plain(address, "oneroof doctor of " + config.schema().schema())
                .getConnection();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> values(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (result.next()) {
                values.add(String.valueOf(result.getString(1)));
            }
            return values;
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getString(1));
        }
    }
}
