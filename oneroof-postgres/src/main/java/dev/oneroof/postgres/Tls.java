package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.SslMode;
import org.postgresql.ssl.DefaultJavaSSLFactory;

/**
 * How a connection is protected: libpq's {@code sslmode} and {@code sslrootcert}, as the driver is to be told.
 *
 * <p>It differs from libpq in two points, both to the safe side. Without a {@code sslmode} a server that is not on this
 * machine must prove its name (libpq: {@code prefer}, which takes what it gets). And where no file of root certificates is
 * there, {@code verify-full} trusts those that this Java trusts (libpq fails).
 *
 * @param mode as set, or by default
 * @param isDefault nothing was set
 * @param roots the file of the certificates that are trusted; null: those of this Java, or none are asked for
 */
public record Tls(SslMode mode, boolean isDefault, @Nullable Path roots) {
    /** What may stand in {@code sslmode}, for messages. */
    static final String MODES =
            Arrays.stream(SslMode.values()).map(mode -> mode.value).collect(Collectors.joining(", "));

    private static final String SYSTEM = "system";

    public static Tls of(DatabaseAddress address) {
        return of(address, usersRoots());
    }

    /** @param usersRoots libpq's and the driver's usual file, where it exists */
    static Tls of(DatabaseAddress address, Path usersRoots) {
        String set = address.parameters().get("sslmode");
        String root = address.parameters().get("sslrootcert");
        SslMode mode = set != null ? mode(set) : byDefault(address, root);
        if (SYSTEM.equals(root) && mode != SslMode.VERIFY_FULL) {
            throw invalid(
                    "sslmode: '%s' is not allowed with sslrootcert 'system'; allowed is verify-full: anyone can have"
                            + " a certificate of a public authority for a name of theirs",
                    mode.value);
        }
        if ("direct".equals(address.parameters().get("sslNegotiation")) && !mode.requireEncryption()) {
            throw invalid(
                    "sslmode: '%s' is not allowed with sslnegotiation 'direct';"
                            + " allowed are require, verify-ca, verify-full",
                    mode.value);
        }
        boolean bySystem = SYSTEM.equals(root) || address.parameters().containsKey("sslfactory");
        Tls tls = new Tls(mode, set == null, bySystem ? null : roots(mode, root, usersRoots));
        tls.demandRoots(address);
        return tls;
    }

    private static SslMode byDefault(DatabaseAddress address, @Nullable String root) {
        return address.isLoopback() && !SYSTEM.equals(root) ? SslMode.PREFER : SslMode.VERIFY_FULL;
    }

    private static SslMode mode(String value) {
        return Arrays.stream(SslMode.values())
                .filter(mode -> mode.value.equals(value))
                .findFirst()
                .orElseThrow(() -> invalid("sslmode: '%s' is not allowed; allowed are " + MODES, value));
    }

    private static @Nullable Path roots(SslMode mode, @Nullable String named, Path usersRoots) {
        if (mode == SslMode.DISABLE) {
            return null;
        }
        if (named == null) {
            return Files.isReadable(usersRoots) ? usersRoots : null;
        }
        Path file = Path.of(named);
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw invalid(
                    "sslrootcert: '%s' cannot be read; allowed are a file of certificates (PEM), and system for those that"
                            + " this Java trusts",
                    named);
        }
        return file;
    }

    private void demandRoots(DatabaseAddress address) {
        boolean ownFactory = address.parameters().containsKey("sslfactory");
        if (mode == SslMode.VERIFY_CA && roots == null && !ownFactory) {
            throw invalid(
                    "sslmode: '%s' needs the certificate of the authority, in sslrootcert or PGSSLROOTCERT",
                    mode.value);
        }
        if (trustsJava(address) && address.parameters().containsKey("sslcert")) {
            throw invalid(
                    "sslcert: '%s' needs sslrootcert, or PGSSLROOTCERT, with the file of the server's authority beside it",
                    String.valueOf(address.parameters().get("sslcert")));
        }
    }

    private boolean trustsJava(DatabaseAddress address) {
        return mode == SslMode.VERIFY_FULL
                && roots == null
                && !address.parameters().containsKey("sslfactory");
    }

    void applyTo(PGSimpleDataSource source, DatabaseAddress address) {
        // With a root certificate libpq verifies also what 'require' encrypts; to the driver that is another mode.
        boolean verifies = mode == SslMode.REQUIRE && roots != null;
        source.setSslmode(verifies ? SslMode.VERIFY_CA.value : mode.value);
        if (roots != null) {
            source.setSslRootCert(roots.toString());
        } else if (trustsJava(address)) {
            source.setSslfactory(DefaultJavaSSLFactory.class.getName());
        }
    }

    /** The mode and whose choice it was. */
    public String described() {
        if (!isDefault) {
            return "sslmode is '%s'".formatted(mode.value);
        }
        return mode == SslMode.VERIFY_FULL
                ? "sslmode is '%s' (the default for a server that is not on loopback)".formatted(mode.value)
                : "sslmode is '%s' (the default on loopback)".formatted(mode.value);
    }

    /** Whose certificates are trusted. */
    String trusted() {
        return roots == null ? "the certificates that this Java trusts" : "those in " + roots;
    }

    private static Path usersRoots() {
        boolean windows =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows");
        return windows
                ? Path.of(String.valueOf(System.getenv("APPDATA")), "postgresql", "root.crt")
                : Path.of(System.getProperty("user.home", ""), ".postgresql", "root.crt");
    }

    private static OneRoofException invalid(String message, String value) {
        return new OneRoofException(ErrorCode.INVALID_INPUT, message.formatted(value));
    }
}
