package dev.oneroof.app;

import dev.oneroof.app.cli.CommandLineOfOneRoof;
import java.util.Locale;

/** Starts the command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // Numbers look the same wherever they are printed, and parsed.
        Locale.setDefault(Locale.ROOT);
        System.exit(CommandLineOfOneRoof.run(args));
    }
}
