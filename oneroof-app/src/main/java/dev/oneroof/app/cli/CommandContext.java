package dev.oneroof.app.cli;

import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What the process gives to the command.
 *
 * @param environment the variables that settings are read from
 */
public record CommandContext(Map<String, String> environment, Console console) {
    public static CommandContext ofProcess() {
        return new CommandContext(System.getenv(), Console.ofProcess());
    }

    /** The context of the command that this spec belongs to, or is mixed into. */
    public static CommandContext of(CommandSpec part) {
        CommandSpec root = part.commandLine().getCommandSpec().root();
        return ((RootCommand) root.userObject()).context();
    }
}
