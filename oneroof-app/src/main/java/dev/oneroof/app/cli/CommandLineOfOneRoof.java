package dev.oneroof.app.cli;

import dev.oneroof.app.config.Suggestion;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The whole command: its verbs, its answers to mistakes and its exit codes. */
public final class CommandLineOfOneRoof {
    private static final Pattern URL = Pattern.compile("(jdbc:)?[A-Za-z]+:(//.*|.*\\?.*)", Pattern.DOTALL);

    private CommandLineOfOneRoof() {}

    public static int run(String... args) {
        return run(Surroundings.ofTheProcess(), args);
    }

    static int run(Surroundings surroundings, String... args) {
        CommandLine line = new CommandLine(new RootCommand(surroundings));
        line.setOut(surroundings.console().pages());
        line.setParameterExceptionHandler(CommandLineOfOneRoof::misuse);
        line.setExecutionExceptionHandler(CommandLineOfOneRoof::failure);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        // A word that begins with @ is what it says: --cron @daily is no file of arguments.
        line.setExpandAtFiles(false);
        return line.execute(args);
    }

    private static int misuse(ParameterException mistake, String[] args) {
        CommandSpec spec = mistake.getCommandLine().getCommandSpec();
        Console console = Surroundings.of(spec).console();
        String problem = mistake instanceof UnmatchedArgumentException unmatched
                ? unknown(unmatched, spec)
                : Mistakes.told(mistake);
        console.say(withoutPasswords(problem, args));
        console.say("'%s --help' tells more".formatted(spec.qualifiedName()));
        return ErrorCode.INVALID_INPUT.exitCode();
    }

    /** A URL may stand where none is expected, and hold a password there, too. */
    private static String withoutPasswords(String problem, String[] args) {
        String shown = problem;
        for (String arg : args) {
            Matcher url = URL.matcher(arg);
            if (url.find()) {
                shown = shown.replace(url.group(), DatabaseAddress.masked(url.group()));
            }
        }
        return shown;
    }

    private static String unknown(UnmatchedArgumentException mistake, CommandSpec spec) {
        String word = mistake.getUnmatched().getFirst();
        if (word.startsWith("-")) {
            return "unknown option '%s'%s"
                    .formatted(word, Suggestion.forWord(word, spec.optionsMap().keySet()));
        }
        Set<String> verbs = spec.subcommands().keySet();
        return verbs.isEmpty()
                ? "'%s' is one word too many".formatted(word)
                : "unknown command '%s'%s".formatted(word, Suggestion.forWord(word, verbs));
    }

    private static int failure(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        if (e instanceof ParameterException mistake) {
            return misuse(mistake, parsed.originalArgs().toArray(String[]::new));
        }
        Console console = Surroundings.of(line.getCommandSpec()).console();
        if (e instanceof OneRoofException known) {
            known.message()
                    .lines()
                    .map(message -> FieldOptions.named(message, line))
                    .forEach(console::say);
            return known.code().exitCode();
        }
        if (SqlState.of(e) != null) {
            OneRoofException explained = Connections.explained("the database", e);
            console.say(explained.message());
            return explained.code().exitCode();
        }
        console.say("this should not happen, please report it: " + e);
        e.printStackTrace(console.messages());
        return ErrorCode.FAILED.exitCode();
    }
}
