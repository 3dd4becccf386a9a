package dev.oneroof.app;

import dev.oneroof.app.cli.CommandLineOfOneRoof;

/** Starts the command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(CommandLineOfOneRoof.run(args));
    }
}
