package dev.oneroof.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens connections to a {@link DatabaseAddress}, and says in plain words why one cannot be had. */
public final class Connections {
    private static final int OLDEST_SERVER = 14;
    private static final Duration IDLE_IN_TRANSACTION = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private Connections() {}

    /** A source of single connections, each one new. */
    public static PGSimpleDataSource plain(DatabaseAddress address, String applicationName) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(address.jdbcUrl());
        Tls.of(address).applyTo(source, address);
        source.setUser(address.user());
        source.setPassword(address.password());
        source.setApplicationName(applicationName);
        source.setTcpKeepAlive(true);
        // The DETAIL of an error prints the row; errors are kept and shown, rows are not ours to copy.
        source.setLogServerErrorDetail(false);
        int seconds = address.parameters().containsKey("connectTimeout")
                ? source.getConnectTimeout()
                : (int) CONNECT_TIMEOUT.toSeconds();
        source.setConnectTimeout(seconds);
        if (!address.parameters().containsKey("loginTimeout")) {
            source.setLoginTimeout(seconds);
        }
        return source;
    }

    /**
     * A pool whose sessions act as {@code role}: whatever the login may do, the running program may only do what that
     * role may.
     */
    public static HikariDataSource pool(
            DatabaseAddress address, String applicationName, @Nullable String role, int size) {
        return pool(address, applicationName, role, size, IDLE_IN_TRANSACTION);
    }

    /**
     * Like {@link #pool(DatabaseAddress, String, String, int)}.
     *
     * @param idleInTransaction after this time the server ends a session that does nothing inside a transaction: its
     *     process is frozen, and what it has locked would stop its successor. Less than the lease time.
     */
    public static HikariDataSource pool(
            DatabaseAddress address,
            String applicationName,
            @Nullable String role,
            int size,
            Duration idleInTransaction) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("oneroof-pool");
        PGSimpleDataSource sessions = plain(address, applicationName);
        // A server that no longer answers must not keep a worker, or the way out, for ever.
        sessions.setSocketTimeout((int) SILENCE.toSeconds());
        if (sessions.getSocketFactory() == null) {
            sessions.setSocketFactory(QuickLooks.class.getName());
        }
        config.setDataSource(sessions);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(CONNECT_TIMEOUT.toMillis(), sessions.getConnectTimeout() * 1000L));
        // The driver sends the JVM's zone; times in texts and logs read best in one zone everywhere.
        config.setConnectionInitSql("SET TIME ZONE 'UTC'; SET idle_in_transaction_session_timeout = "
                + idleInTransaction.toMillis() + (role == null ? "" : "; SET ROLE " + Identifiers.quote("role", role)));
        try {
            return new HikariDataSource(config);
        } catch (PoolInitializationException e) {
            throw role != null && SqlState.isPrivilegeMissing(e) ? RoleMembership.explained(address, role, e) : e;
        }
    }

    /** Connects once, to find out at the start and not in the middle whether this server can serve. */
    public static void verify(DatabaseAddress address) {
        try (Connection connection = plain(address, "oneroof").getConnection()) {
            int major = connection.getMetaData().getDatabaseMajorVersion();
            if (major < OLDEST_SERVER) {
                throw new OneRoofException(
                        ErrorCode.SERVER_NOT_SUPPORTED,
                        "%s runs PostgreSQL %s; OneRoof needs %d or newer"
                                .formatted(
                                        address, connection.getMetaData().getDatabaseProductVersion(), OLDEST_SERVER));
            }
            demandPrimary(address, connection);
        } catch (SQLException e) {
            throw explained(address, e);
        }
    }

    public static OneRoofException explained(DatabaseAddress address, Exception failure) {
        Optional<String> tls = TlsFailure.explained(address.toString(), address.host(), Tls.of(address), failure);
        return tls.isPresent()
                ? new OneRoofException(ErrorCode.DATABASE_UNREACHABLE, tls.get(), failure)
                : explained(address.toString(), failure);
    }

    /** What a failure with an SQLState in it means to the person who reads it. */
    public static OneRoofException explained(String address, Exception failure) {
        Optional<String> tls = TlsFailure.explained(address, null, null, failure);
        if (tls.isPresent()) {
            return new OneRoofException(ErrorCode.DATABASE_UNREACHABLE, tls.get(), failure);
        }
        Optional<String> parameter = LoginFailure.byParameter(address, failure);
        if (parameter.isPresent()) {
            return new OneRoofException(ErrorCode.LOGIN_REFUSED, parameter.get(), failure);
        }
        if (LoginFailure.isPasswordMissing(failure)) {
            return new OneRoofException(
                    ErrorCode.LOGIN_REFUSED,
                    "%s asks for a password, and none is set; put it in ONEROOF_DB_PASSWORD, ONEROOF_DB_PASSWORD_FILE, PGPASSWORD or .pgpass"
                            .formatted(address),
                    failure);
        }
        if (SqlState.isLoginRefused(failure)) {
            return new OneRoofException(
                    ErrorCode.LOGIN_REFUSED, "%s refused the login: %s".formatted(address, reason(failure)), failure);
        }
        if (SqlState.isOutOfReach(failure)) {
            return new OneRoofException(
                    ErrorCode.DATABASE_UNREACHABLE, "cannot reach %s: %s".formatted(address, reason(failure)), failure);
        }
        if (SqlState.isPrivilegeMissing(failure)) {
            return new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING, "%s: %s".formatted(address, reason(failure)), failure);
        }
        return new OneRoofException(ErrorCode.FAILED, "%s: %s".formatted(address, reason(failure)), failure);
    }

    /** The driver's own first line, without the class name and the hints it adds. */
    private static String reason(Exception failure) {
        Throwable deepest = failure;
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException) {
                deepest = t;
            }
        }
        String message = deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
        if (deepest.getCause() instanceof UnknownHostException unknown) {
            message = "unknown host " + unknown.getMessage();
        } else if (deepest.getCause() instanceof IOException network && network.getMessage() != null) {
            message = network.getMessage();
        }
        return message.lines().findFirst().orElse(message).replaceFirst("^(FATAL|ERROR): ", "");
    }

    private static void demandPrimary(DatabaseAddress address, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("SELECT pg_is_in_recovery()")) {
            if (answer.next() && answer.getBoolean(1)) {
                throw new OneRoofException(
                        ErrorCode.SERVER_NOT_SUPPORTED,
                        "%s is a standby: transactions that are open on its primary cannot be seen there; connect to the primary"
                                .formatted(address));
            }
        }
    }
}
