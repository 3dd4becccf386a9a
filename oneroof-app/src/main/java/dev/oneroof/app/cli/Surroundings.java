package dev.oneroof.app.cli;

import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What the command finds where it is started.
 *
 * @param environment the variables that settings are read from
 */
record Surroundings(Map<String, String> environment, Console console) {
    static Surroundings ofTheProcess() {
        return new Surroundings(System.getenv(), Console.ofTheProcess());
    }

    /** Those of the command that this is, or that it is mixed into. */
    static Surroundings of(CommandSpec part) {
        CommandSpec root = part.commandLine().getCommandSpec().root();
        return ((RootCommand) root.userObject()).surroundings();
    }
}
