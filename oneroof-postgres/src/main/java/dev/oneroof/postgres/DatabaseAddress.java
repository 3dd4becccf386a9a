package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final Pattern AUTHORITY =
            Pattern.compile("((?<user>[^@]*)@)?(?<host>\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(:(?<port>[0-9]{1,5}))?");

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
        // Not the URI's own idea of a host: it knows none with an underscore, and container networks are full of them.
        Matcher authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
        if (!authority.matches()) {
            throw invalid(field, text);
        }
        String host = authority.group("host");
        int port = authority.group("port") == null ? 5432 : Integer.parseInt(authority.group("port"));
        if (port == 0 || port > 65535) {
            throw invalid(field, text);
        }
        Map<String, String> parameters = parameters(field, text, uri.getRawQuery());
        @Nullable String user = parameters.remove("user");
        @Nullable String password = parameters.remove("password");
        String info = authority.group("user");
        if (info != null) {
            int colon = info.indexOf(':');
            user = decode(colon < 0 ? info : info.substring(0, colon));
            password = colon < 0 ? password : decode(info.substring(colon + 1));
        }
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        String database = path.length() > 1 ? decode(path.substring(1)) : user == null ? "postgres" : user;
        return new DatabaseAddress(host, port, database, user, password, parameters);
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
        return "jdbc:postgresql://%s:%s/%s%s"
                .formatted(host, port, encode(database), query.isEmpty() ? "" : "?" + query);
    }

    /** Where it is, for messages: never with a password. */
    @Override
    public String toString() {
        return "postgres://%s%s:%s/%s".formatted(user == null ? "" : user + "@", host, port, database);
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
        String shown = text.replaceFirst("//.*@", "//***@").replaceAll("password=[^&]*", "password=***");
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
