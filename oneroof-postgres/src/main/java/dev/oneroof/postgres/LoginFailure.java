package dev.oneroof.postgres;

import java.util.Optional;
import java.util.regex.Pattern;
import org.postgresql.util.GT;
import org.postgresql.util.PSQLException;

/**
 * Why the driver itself refused to log in. It has one SQLState, 08004, for a password that is missing and for a server
 * that asks for a login method that the parameters do not allow, so its text must tell them apart.
 */
final class LoginFailure {
    private static final Pattern CHANNEL_BINDING =
            Pattern.compile("channel binding is required.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private LoginFailure() {}

    static boolean isPasswordMissing(Throwable failure) {
        return says(failure, "The server requested SCRAM-based authentication, but no password was provided.")
                || says(
                        failure,
                        "The server requested SCRAM-based authentication, but the password is an empty string.")
                || says(
                        failure,
                        "The server requested password-based authentication, but no password was provided by plugin {0}",
                        new Object[] {null});
    }

    /** By a parameter of the connection, with the way out. */
    static Optional<String> byParameter(String server, Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof PSQLException
                    && t.getMessage() != null
                    && CHANNEL_BINDING.matcher(t.getMessage()).matches()) {
                return Optional.of(
                        "%s: channel_binding is 'require': %s; connect with TLS (sslmode=require or stricter), or set channel_binding to prefer or disable, in the URL or by PGCHANNELBINDING"
                                .formatted(server, t.getMessage()));
            }
        }
        String notAllowed = "Authentication method is not allowed by requireAuth";
        return says(failure, notAllowed)
                ? Optional.of(
                        "%s: require_auth does not allow the method that the server asks for: %s; add that method to require_auth, in the URL or by PGREQUIREAUTH, or unset it; allowed are %s"
                                .formatted(server, GT.tr(notAllowed), LibpqParameter.METHODS))
                : Optional.empty();
    }

    private static boolean says(Throwable failure, String text, Object... values) {
        String said = GT.tr(text, values);
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof PSQLException && said.equals(t.getMessage())) {
                return true;
            }
        }
        return false;
    }
}
