package dev.oneroof.app.cli;

import dev.oneroof.app.config.Suggestion;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The help command of picocli takes one word only; this one takes all words of a command. */
@Command(name = "help", description = "Show the help of a command, as --help does.", helpCommand = true)
final class HelpCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command, for example: job enqueue.")
    private List<String> words = List.of();

    @Override
    public void run() {
        CommandLine found = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = found.getSubcommands().get(word);
            if (next == null) {
                throw new ParameterException(
                        found,
                        "unknown command '%s'%s"
                                .formatted(
                                        word,
                                        Suggestion.forWord(
                                                word, found.getSubcommands().keySet())));
            }
            found = next;
        }
        found.usage(spec.root().commandLine().getOut());
    }
}
