package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a database URL.
 *
 * <p>A URL holds a password more often than not, and in a malformed one every part may be a piece of it: what looks like
 * the port of {@code postgres://ann:secret/reg}, what follows the slash or the question mark of a password that was not
 * escaped. So a message says what is wrong and where, and repeats none of it.
 */
final class DatabaseUrl {
    static final String FORM = "postgres://user@host:port/database";

    private static final Pattern SCHEME = Pattern.compile("(jdbc:)?[A-Za-z][A-Za-z0-9+.-]*://");
    private static final Pattern OURS = Pattern.compile("(jdbc:)?postgres(ql)?://");
    /** Without a character that stands before a password, or inside of one that is escaped. */
    private static final Pattern HARMLESS = Pattern.compile("[^:@=?%#&;]*");

    private static final Pattern HOST = Pattern.compile("\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]{1,40}");

    private final String field;
    private final String text;

    DatabaseUrl(String field, String text) {
        this.field = field;
        this.text = text;
    }

    /** The text where it can hold no password; else no more of it than its scheme. */
    static String shown(String text) {
        Matcher scheme = SCHEME.matcher(text);
        String start = scheme.lookingAt() ? scheme.group() : "";
        return HARMLESS.matcher(text.substring(start.length())).matches() ? text : start + "***";
    }

    static boolean isHost(String host) {
        return HOST.matcher(host).matches();
    }

    static boolean isPort(String port) {
        return PORT.matcher(port).matches() && Integer.parseInt(port) > 0 && Integer.parseInt(port) <= 65535;
    }

    ConnectionInfo parse() {
        Matcher scheme = OURS.matcher(text);
        if (!scheme.lookingAt()) {
            throw invalid("it does not begin with postgres:// or postgresql://");
        }
        String rest = text.substring(scheme.end());
        if (rest.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))) {
            throw invalid("it has a space, which is written as %20");
        }
        int mark = rest.indexOf('?');
        String[] parts = (mark < 0 ? rest : rest.substring(0, mark)).split("/", 2);
        // The query outranks the rest, as in libpq.
        return query(mark < 0 ? null : rest.substring(mark + 1))
                .or(authority(parts[0]))
                .or(new ConnectionInfo(null, null, database(parts), null, null, Map.of()));
    }

    private ConnectionInfo authority(String authority) {
        int at = authority.indexOf('@');
        if (at != authority.lastIndexOf('@')) {
            throw invalid("it has more than one @; in a user or a password @ is written as %40");
        }
        String place = authority.substring(at + 1);
        int colon = place.lastIndexOf(':') > place.lastIndexOf(']') ? place.lastIndexOf(':') : -1;
        ConnectionInfo server = new ConnectionInfo(
                host(colon < 0 ? place : place.substring(0, colon)),
                colon < 0 ? null : port(place.substring(colon + 1)),
                null,
                null,
                null,
                Map.of());
        return at < 0 ? server : server.or(login(authority.substring(0, at)));
    }

    private ConnectionInfo login(String userInfo) {
        int colon = userInfo.indexOf(':');
        String user = decode(colon < 0 ? userInfo : userInfo.substring(0, colon));
        String password = colon < 0 ? "" : decode(userInfo.substring(colon + 1));
        return ConnectionInfo.login(filled(user), filled(password));
    }

    private @Nullable String host(String host) {
        if (!host.isEmpty() && !isHost(host)) {
            throw invalid("its host is not one host name or one IP address (an IPv6 address stands in brackets);"
                    + " in a user or a password @ is written as %40, : as %3A, / as %2F and ? as %3F");
        }
        return filled(host);
    }

    private int port(String port) {
        if (!isPort(port)) {
            throw invalid("its port is not a whole number from 1 to 65535;"
                    + " in a user or a password @ is written as %40, : as %3A, / as %2F and ? as %3F");
        }
        return Integer.parseInt(port);
    }

    private @Nullable String database(String[] parts) {
        String path = parts.length < 2 ? "" : parts[1];
        if (path.indexOf('/') >= 0 || path.indexOf('@') >= 0) {
            throw invalid("its database has a / or an @; in a name or a password they are written as %2F and %40");
        }
        return filled(decode(path));
    }

    private ConnectionInfo query(@Nullable String query) {
        if (query == null) {
            return ConnectionInfo.login(null, null);
        }
        if (query.indexOf('@') >= 0) {
            throw invalid("it has an @ behind the question mark; in a value @ is written as %40, and ? as %3F");
        }
        Map<String, String> given = new HashMap<>();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw invalid("a parameter has no name or no value; in a value & is written as %26");
            }
            given.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
        }
        String host = given.remove("host");
        String port = given.remove("port");
        String database = given.remove("dbname");
        String user = given.remove("user");
        String password = given.remove("password");
        return new ConnectionInfo(
                host == null ? null : host(host),
                port == null ? null : Integer.valueOf(port(port)),
                database == null ? null : filled(database),
                user == null ? null : filled(user),
                password == null ? null : filled(password),
                parameters(given, password != null));
    }

    private Map<String, String> parameters(Map<String, String> given, boolean withPassword) {
        Map<String, String> found = new HashMap<>();
        if (given.containsKey("sslmode")) {
            // The more precise of the two, to the driver as well.
            given.remove("ssl");
        }
        given.forEach((name, value) -> {
            if (!LibpqParameter.isKnown(name)) {
                // A piece of a password that has a & in it would stand here as a name.
                String which =
                        withPassword || !NAME.matcher(name).matches() ? "a parameter" : "parameter '" + name + "'";
                throw invalid(which + " is not known; known are libpq's and the driver's");
            }
            LibpqParameter.inUrl(field + ": " + name, name, value).ifPresent(property -> {
                String other = found.put(property.name(), property.value());
                if (other != null && !other.equals(property.value())) {
                    throw invalid("parameter '%s' is given under two names".formatted(property.name()));
                }
            });
        });
        return found;
    }

    private String decode(String part) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < part.length(); i++) {
            if (part.charAt(i) != '%') {
                int end = part.indexOf('%', i) < 0 ? part.length() : part.indexOf('%', i);
                bytes.writeBytes(part.substring(i, end).getBytes(StandardCharsets.UTF_8));
                i = end - 1;
            } else {
                bytes.write(escaped(part, i));
                i += 2;
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw invalid("its escapes are not UTF-8");
        }
    }

    private int escaped(String part, int at) {
        int high = at + 2 < part.length() ? Character.digit(part.charAt(at + 1), 16) : -1;
        int low = at + 2 < part.length() ? Character.digit(part.charAt(at + 2), 16) : -1;
        if (high < 0 || low < 0 || high + low == 0) {
            throw invalid("it has a % without two hexadecimal digits behind it, or %00; % itself is written as %25");
        }
        return high * 16 + low;
    }

    private static @Nullable String filled(String part) {
        return part.isEmpty() ? null : part;
    }

    private OneRoofException invalid(String problem) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "%s: '%s' is no database address: %s; allowed is %s".formatted(field, shown(text), problem, FORM));
    }
}
