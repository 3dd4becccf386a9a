package dev.oneroof.app;

import dev.oneroof.app.cli.OneRoofCommandLine;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Starts the command. */
public final class Main {
    // Held here, since the log manager forgets a logger, and its level, that is not referenced.
    private static final Logger HOST_NAMES = Logger.getLogger("org.postgresql.ssl.PGjdbcHostnameVerifier");

    private Main() {}

    public static void main(String[] args) {
        // Numbers look the same wherever they are printed, and parsed.
        Locale.setDefault(Locale.ROOT);
        // The command itself says which name the certificate is not for.
        HOST_NAMES.setLevel(Level.OFF);
        System.exit(OneRoofCommandLine.run(args));
    }
}
