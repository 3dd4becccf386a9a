package dev.oneroof.postgres;

import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.GT;
import org.postgresql.util.PSQLException;

/** Why a protected connection could not be had, and the ways out. */
final class TlsFailure {
    private static final String LOWER = "by sslmode in the URL or PGSSLMODE; allowed are " + Tls.MODES;

    private TlsFailure() {}

    /** @param tls what was asked for, where it is known */
    static Optional<String> explained(String server, @Nullable String host, @Nullable Tls tls, Throwable failure) {
        String asked = tls == null ? "sslmode demands it" : tls.described();
        if (says(failure, "The server does not support SSL.")) {
            return Optional.of(
                    "%s refused TLS, and %s; no password was sent. Turn TLS on in the server (ssl = on), or lower sslmode: 'prefer' sends all unencrypted to a server without TLS, also the password; %s"
                            .formatted(server, asked, LOWER));
        }
        if (host != null
                && says(
                        failure,
                        "The hostname {0} could not be verified by hostnameverifier {1}.",
                        host,
                        "PgjdbcHostnameVerifier")) {
            return Optional.of(
                    "%s has a certificate that is not for '%s', and %s; no password was sent. Name the server as its certificate does, or lower sslmode: 'verify-ca' takes any name; %s"
                            .formatted(server, host, asked, LOWER));
        }
        // Only of the handshake: a session that is cut later is an SSLException, too.
        Throwable handshake = cause(SSLHandshakeException.class, failure);
        if (handshake == null) {
            return Optional.empty();
        }
        String failed = "TLS with %s failed: %s; %s".formatted(server, deepest(handshake), asked);
        if (cause(CertificateException.class, handshake) == null) {
            return Optional.of(failed);
        }
        return Optional.of(
                "%s, and trusted are %s; no password was sent. Name the file of the server's authority in sslrootcert or PGSSLROOTCERT, or lower sslmode: 'require' without root certificates encrypts and verifies nothing; %s"
                        .formatted(failed, tls == null ? "those of sslrootcert" : tls.trusted(), LOWER));
    }

    /**
     * The driver has one SQLState, 08004, for a server without TLS and for a password that is missing, so its text must
     * tell them apart: not in English, but as the driver itself says it here.
     */
    private static boolean says(Throwable failure, String text, Object... values) {
        String said = GT.tr(text, values);
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof PSQLException && said.equals(t.getMessage())) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Throwable cause(Class<? extends Throwable> type, Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (type.isInstance(t)) {
                return t;
            }
        }
        return null;
    }

    /** The reason behind the reasons: "NotAfter: …", say, and not "PKIX path validation failed". */
    private static String deepest(Throwable failure) {
        Throwable last = failure;
        for (Throwable t = failure; t != null; t = t.getCause()) {
            last = t.getMessage() == null ? last : t;
        }
        return String.valueOf(last.getMessage()).lines().findFirst().orElse("");
    }
}
