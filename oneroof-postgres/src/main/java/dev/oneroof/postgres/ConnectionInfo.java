package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one place says about a connection: a URL, the settings, the environment. Any part may be missing, and is then
 * taken from the next place, as libpq does it: part by part.
 *
 * @param parameters by the driver's names; {@link LibpqParameter} translates libpq's
 */
public record ConnectionInfo(
        @Nullable String host,
        @Nullable Integer port,
        @Nullable String database,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> parameters) {

    public ConnectionInfo {
        parameters = Map.copyOf(parameters);
    }

    public static ConnectionInfo login(@Nullable String user, @Nullable String password) {
        return new ConnectionInfo(null, null, null, user, password, Map.of());
    }

    /**
     * Reads {@code postgres://user@host:port/database?sslmode=require}, with or without {@code jdbc:} in front.
     *
     * @param field names the text in messages, which never contain a password of it
     */
    public static ConnectionInfo parse(String field, String text) {
        return new DatabaseUrl(field, text).parse();
    }

    /** The value of {@code PGHOST}. An IPv6 address has no brackets there. */
    public static String checkedHost(String value) {
        String host = value.indexOf(':') >= 0 && !value.startsWith("[") ? "[" + value + "]" : value;
        if (!DatabaseUrl.isHost(host)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "PGHOST: '%s' is not allowed; allowed is one host name or one IP address, and no folder of a socket"
                            .formatted(DatabaseUrl.shown(value)));
        }
        return host;
    }

    /** The value of {@code PGPORT}. */
    public static int checkedPort(String value) {
        if (!DatabaseUrl.isPort(value)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "PGPORT: '%s' is not allowed; allowed is a whole number from 1 to 65535".formatted(value));
        }
        return Integer.parseInt(value);
    }

    /** This, and where it says nothing, the other. */
    public ConnectionInfo or(ConnectionInfo other) {
        Map<String, String> all = new HashMap<>(other.parameters);
        all.putAll(parameters);
        return new ConnectionInfo(
                host != null ? host : other.host,
                port != null ? port : other.port,
                database != null ? database : other.database,
                user != null ? user : other.user,
                password != null ? password : other.password,
                all);
    }

    /** With libpq's defaults for what is still missing. A user that is missing is the operating system's. */
    public DatabaseAddress address() {
        String name = user != null ? user : System.getProperty("user.name");
        return new DatabaseAddress(
                host != null ? host : "localhost",
                port != null ? port : 5432,
                database != null ? database : name != null ? name : "postgres",
                user,
                password,
                parameters);
    }

    /** Never with a password. */
    @Override
    public String toString() {
        return "ConnectionInfo[host=%s, port=%s, database=%s, user=%s, password=%s, parameters=%s]"
                .formatted(host, port, database, user, password == null ? null : "***", parameters.keySet());
    }
}
