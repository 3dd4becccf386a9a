package dev.oneroof.database;

import dev.oneroof.database.error.ErrorCode;
import dev.oneroof.database.error.OneRoofException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL database to talk to, and as whom. Without a password the driver looks into the user's
 * {@code .pgpass}.
 */
public record DatabaseAddress(
        String host,
        int port,
        String database,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> parameters) {

    public DatabaseAddress {
        parameters = Map.copyOf(parameters);
    }

    /** Reads {@code postgres://user@host:port/database?sslmode=require}, with or without {@code jdbc:} in front. */
    public static DatabaseAddress parse(String field, String text) {
        String bare = text.startsWith("jdbc:") ? text.substring("jdbc:".length()) : text;
        if (!bare.startsWith("postgres://") && !bare.startsWith("postgresql://")) {
            throw invalid(field, text);
        }
        URI uri;
        try {
            uri = new URI(bare);
        } catch (URISyntaxException e) {
            throw invalid(field, text);
        }
        if (uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > 65535) {
            throw invalid(field, text);
        }
        Map<String, String> parameters = parameters(field, text, uri.getRawQuery());
        @Nullable String user = parameters.remove("user");
        @Nullable String password = parameters.remove("password");
        String info = uri.getRawUserInfo();
        if (info != null) {
            int colon = info.indexOf(':');
            user = decode(colon < 0 ? info : info.substring(0, colon));
            password = colon < 0 ? password : decode(info.substring(colon + 1));
        }
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        String database = path.length() > 1 ? decode(path.substring(1)) : user == null ? "postgres" : user;
        int port = uri.getPort() < 0 ? 5432 : uri.getPort();
        return new DatabaseAddress(uri.getHost(), port, database, user, password, parameters);
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

    public String jdbcUrl() {
        String query = parameters.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(e -> encode(e.getKey()) + "=" + encode(e.getValue()))
                .collect(Collectors.joining("&"));
        return "jdbc:postgresql://%s:%d/%s%s"
                .formatted(host, port, encode(database), query.isEmpty() ? "" : "?" + query);
    }

    /** Where it is, for messages: never with a password. */
    @Override
    public String toString() {
        return "postgres://%s%s:%d/%s".formatted(user == null ? "" : user + "@", host, port, database);
    }

    private static Map<String, String> parameters(String field, String text, @Nullable String query) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw invalid(field, text);
            }
            found.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
        }
        return found;
    }

    private static OneRoofException invalid(String field, String text) {
        // Whatever stands before the @ may hold a password, also in a text that could not be read.
        String shown = text.replaceFirst("//[^@]*@", "//***@").replaceAll("password=[^&]*", "password=***");
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "%s: '%s' is no database address; allowed is postgres://user@host:port/database"
                        .formatted(field, shown));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
