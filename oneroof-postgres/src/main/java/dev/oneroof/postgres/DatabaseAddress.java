package dev.oneroof.postgres;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL database to talk to, and as whom. Without a password the driver looks into the user's
 * {@code .pgpass}. How the connection is protected is in {@link Tls}.
 *
 * @param parameters by the driver's names
 */
public record DatabaseAddress(
        String host,
        int port,
        String database,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> parameters) {

    private static final Pattern LOOPBACK = Pattern.compile(
            "localhost|127(\\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}|\\[(0{0,4}:){2,7}0{0,3}1]",
            Pattern.CASE_INSENSITIVE);

    public DatabaseAddress {
        parameters = Map.copyOf(parameters);
    }

    /** Reads {@code postgres://user@host:port/database?sslmode=require}, with or without {@code jdbc:} in front. */
    public static DatabaseAddress parse(String field, String text) {
        return ConnectionInfo.parse(field, text).address();
    }

    /** The text where it can hold no password; else no more of it than its scheme. For messages. */
    public static String masked(String text) {
        return DatabaseUrl.shown(text);
    }

    /** By its name alone: what a name means to the network is not asked, since the network may be wrong. */
    public boolean isLoopback() {
        return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }

    public DatabaseAddress withUser(String name) {
        return new DatabaseAddress(host, port, database, name, password, parameters);
    }

    public DatabaseAddress withPassword(String secret) {
        return new DatabaseAddress(host, port, database, user, secret, parameters);
    }

    public DatabaseAddress withDatabase(String name) {
        return new DatabaseAddress(host, port, name, user, password, parameters);
    }

    /** Without user and password. */
    public String jdbcUrl() {
        String query = parameters.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(e -> encode(e.getKey()) + "=" + encode(e.getValue()))
                .collect(Collectors.joining("&"));
        return "jdbc:postgresql://%s:%s/%s%s"
                .formatted(host, port, encode(database), query.isEmpty() ? "" : "?" + query);
    }

    /** Where it is, for messages: never with a password. */
    @Override
    public String toString() {
        return "postgres://%s%s:%s/%s".formatted(user == null ? "" : user + "@", host, port, database);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
