package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.core.AuthMethod;
import org.postgresql.util.PSQLException;

/**
 * A parameter of libpq beside the address and the login, the variable that sets it, and what OneRoof does with it. The
 * driver has other names for some, knows nothing of others, and ignores what it does not know. What protects a connection
 * must not be ignored: where the driver cannot do it, it is refused.
 */
public final class LibpqParameter {
    /** What may stand in {@code require_auth}, for messages. */
    static final String METHODS =
            "none, password, md5, gss, sspi, scram-sha-256; several with a comma between, or all with ! in front";

    private static final String REQUIRE_AUTH = "requireAuth";

    /** All there are; the reference page is made from them. */
    public static final List<LibpqParameter> ALL = List.of(
            of(
                    "sslmode",
                    "PGSSLMODE",
                    choice("sslmode", "disable", "allow", "prefer", "require", "verify-ca", "verify-full")),
            of("sslrootcert", "PGSSLROOTCERT", text("sslrootcert")),
            of("sslcert", "PGSSLCERT", text("sslcert")),
            of("sslkey", "PGSSLKEY", text("sslkey")),
            of("sslnegotiation", "PGSSLNEGOTIATION", choice("sslNegotiation", "postgres", "direct")),
            of("channel_binding", "PGCHANNELBINDING", choice("channelBinding", "disable", "prefer", "require")),
            of("require_auth", "PGREQUIREAUTH", new Methods(REQUIRE_AUTH)),
            of("gssencmode", "PGGSSENCMODE", choice("gssEncMode", "disable", "prefer", "require")),
            of("krbsrvname", "PGKRBSRVNAME", text("kerberosServerName")),
            of("gsslib", "PGGSSLIB", choice("gsslib", "gssapi", "sspi")),
            of("connect_timeout", "PGCONNECT_TIMEOUT", new Seconds("connectTimeout")),
            of("options", "PGOPTIONS", text("options")),
            // OneRoof works on a primary only.
            of(
                    "target_session_attrs",
                    "PGTARGETSESSIONATTRS",
                    new Choice(
                            "targetServerType", ordered("any", "any", "read-write", "primary", "primary", "primary"))),
            of("hostaddr", "PGHOSTADDR", refused("name the server by its host alone")),
            of("service", "PGSERVICE", refused("put what the service file says into the URL")),
            of("sslcrl", "PGSSLCRL", refused("the driver reads no revocation lists; unset it to connect without one")),
            of(
                    "sslcrldir",
                    "PGSSLCRLDIR",
                    refused("the driver reads no revocation lists; unset it to connect without one")),
            of(
                    "sslpassword",
                    null,
                    refused("use a client key without a passphrase, in a file that only its owner can read")),
            of("passfile", null, refused("set PGPASSFILE")),
            of("sslcertmode", "PGSSLCERTMODE", refused("allowed is allow", "allow")),
            of("sslsni", "PGSSLSNI", refused("allowed is 1", "1")),
            of(
                    "ssl_min_protocol_version",
                    "PGSSLMINPROTOCOLVERSION",
                    refused(
                            "Java's own least is TLSv1.2; raise it by jdk.tls.client.protocols",
                            "TLSv1",
                            "TLSv1.1",
                            "TLSv1.2")),
            of(
                    "ssl_max_protocol_version",
                    "PGSSLMAXPROTOCOLVERSION",
                    refused("lower it by Java's jdk.tls.client.protocols", "TLSv1.3")),
            of("requiressl", "PGREQUIRESSL", refused("set sslmode, by the URL or PGSSLMODE", "0")),

            // OneRoof names its sessions itself, to know them again; the driver sets the encoding; the others need
            // sockets that
            // are files, several hosts, or a library that compresses.
            of("application_name", "PGAPPNAME", new Ignored()),
            of("fallback_application_name", null, new Ignored()),
            of("client_encoding", "PGCLIENTENCODING", new Ignored()),
            of("requirepeer", "PGREQUIREPEER", new Ignored()),
            of("load_balance_hosts", "PGLOADBALANCEHOSTS", new Ignored()),
            of("sslcompression", "PGSSLCOMPRESSION", new Ignored()));

    private static final String SSL = "ssl";
    private static final Choice SSL_AS_MODE = new Choice("sslmode", Map.of("true", "verify-full"));
    private static final Set<String> DRIVER = Arrays.stream(PGProperty.values())
            .map(PGProperty::getName)
            .filter(name ->
                    !Set.of("PGHOST", "PGPORT", "PGDBNAME", "user", "password").contains(name))
            .collect(Collectors.toUnmodifiableSet());

    /** What the driver is given. */
    public record DriverProperty(String name, String value) {}

    private sealed interface Handling {}

    private record Text(String property) implements Handling {}

    /** @param values the driver's, by libpq's */
    private record Choice(String property, Map<String, String> values) implements Handling {}

    private record Methods(String property) implements Handling {}

    private record Seconds(String property) implements Handling {}

    /** @param harmless values that ask for nothing that is not done anyway */
    private record Refused(String wayOut, List<String> harmless) implements Handling {}

    private record Ignored() implements Handling {}

    private final String parameter;
    private final @Nullable String variable;
    private final Handling handling;

    private LibpqParameter(String parameter, @Nullable String variable, Handling handling) {
        this.parameter = parameter;
        this.variable = variable;
        this.handling = handling;
    }

    /** As it stands in a URL. */
    public String parameter() {
        return parameter;
    }

    /** The environment's variable; empty where libpq has none, or where the driver reads it. */
    public Optional<String> variable() {
        return Optional.ofNullable(variable);
    }

    /**
     * What the driver is to be given for a value.
     *
     * @param field names the value in a message
     */
    public Optional<DriverProperty> read(String field, String value) {
        return switch (handling) {
            case Text text ->
                Optional.of(value).filter(v -> !v.isEmpty()).map(v -> new DriverProperty(text.property, v));
            case Methods methods ->
                Optional.of(value)
                        .filter(v -> !v.isEmpty())
                        .map(v -> new DriverProperty(methods.property, methods(field, v)));
            case Choice choice -> Optional.of(new DriverProperty(choice.property, chosen(field, choice, value)));
            case Seconds seconds -> Optional.of(new DriverProperty(seconds.property, seconds(field, value)));
            case Refused refused -> {
                if (!value.isEmpty() && !refused.harmless.contains(value)) {
                    throw new OneRoofException(
                            ErrorCode.INVALID_INPUT,
                            "%s is set and not supported; %s".formatted(field, refused.wayOut));
                }
                yield Optional.empty();
            }
            case Ignored ignored -> Optional.empty();
        };
    }

    /** Whether a URL may have it: libpq's names and the driver's. */
    static boolean isKnown(String name) {
        return byName(name).isPresent() || DRIVER.contains(name);
    }

    /** A parameter of a URL, by libpq's name or the driver's. */
    static Optional<DriverProperty> inUrl(String field, String name, String value) {
        Optional<LibpqParameter> ours = byName(name);
        if (ours.isPresent()) {
            return ours.get().read(field, value);
        }
        if (name.equals(SSL)) {
            // To libpq this is 'require', to the driver 'verify-full'.
            return Optional.of(new DriverProperty("sslmode", chosen(field, SSL_AS_MODE, value)));
        }
        return Optional.of(new DriverProperty(name, value));
    }

    private static Optional<LibpqParameter> byName(String name) {
        String ours = name.equals(REQUIRE_AUTH) ? "require_auth" : name;
        return ALL.stream().filter(one -> one.parameter.equals(ours)).findFirst();
    }

    private static String chosen(String field, Choice choice, String value) {
        String found = choice.values.get(value);
        if (found == null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are %s"
                            .formatted(field, DatabaseUrl.shown(value), String.join(", ", choice.values.keySet())));
        }
        return found;
    }

    private static String methods(String field, String value) {
        try {
            AuthMethod.parseRequireAuth(value);
            return value;
        } catch (PSQLException e) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are %s".formatted(field, DatabaseUrl.shown(value), METHODS));
        }
    }

    /** None, or a negative number: to libpq without end, as 0 is to the driver. */
    private static String seconds(String field, String value) {
        try {
            return Integer.toString(Math.max(0, value.isEmpty() ? 0 : Integer.parseInt(value)));
        } catch (NumberFormatException e) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed is a whole number of seconds"
                            .formatted(field, DatabaseUrl.shown(value)));
        }
    }

    private static LibpqParameter of(String parameter, @Nullable String variable, Handling handling) {
        return new LibpqParameter(parameter, variable, handling);
    }

    private static Handling text(String property) {
        return new Text(property);
    }

    private static Handling choice(String property, String... values) {
        Map<String, String> same = new LinkedHashMap<>();
        for (String value : values) {
            same.put(value, value);
        }
        return new Choice(property, same);
    }

    private static Handling refused(String wayOut, String... harmless) {
        return new Refused(wayOut, List.of(harmless));
    }

    private static Map<String, String> ordered(String... pairs) {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            all.put(pairs[i], pairs[i + 1]);
        }
        return all;
    }
}
