package dev.oneroof.app.cli;

import dev.oneroof.app.config.Suggestion;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The whole command: its verbs, usage errors and exit codes. */
public final class OneRoofCommandLine {
    private static final String BENCH = "bench";
    private static final Pattern URL = Pattern.compile("(jdbc:)?[A-Za-z]+:(//.*|.*\\?.*)", Pattern.DOTALL);

    private OneRoofCommandLine() {}

    public static int run(String... args) {
        return run(CommandContext.ofProcess(), args);
    }

    /** Runs the command with these words and returns its exit code. */
    public static int run(CommandContext context, String... args) {
        CommandLine line = new CommandLine(new RootCommand(context));
        for (CommandModule module : ServiceLoader.load(CommandModule.class, CommandModule.class.getClassLoader())) {
            module.commands().forEach(line::addSubcommand);
        }
        line.setOut(context.console().pages());
        line.setParameterExceptionHandler(OneRoofCommandLine::usageError);
        line.setExecutionExceptionHandler(OneRoofCommandLine::failure);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        // --cron @daily is a value, not a file of arguments.
        line.setExpandAtFiles(false);
        nameBenches(line);
        return line.execute(args);
    }

    /** Benches have a class path of their own. The launcher selects it; this line says that they exist. */
    private static void nameBenches(CommandLine line) {
        if (!line.getSubcommands().containsKey(BENCH)) {
            line.getCommandSpec()
                    .usageMessage()
                    .footer("", "Benchmarks and trials: './oneroof bench --help' in the source folder lists them.");
        }
    }

    private static int usageError(ParameterException error, String[] args) {
        CommandSpec spec = error.getCommandLine().getCommandSpec();
        Console console = CommandContext.of(spec).console();
        String problem = error instanceof UnmatchedArgumentException unmatched
                ? unknown(unmatched, spec)
                : UsageErrors.describe(error);
        console.say(withoutPasswords(problem, args));
        console.say("see '%s --help'".formatted(spec.qualifiedName()));
        return ErrorCode.INVALID_INPUT.exitCode();
    }

    /** A URL in the wrong place may contain a password, too. */
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

    private static String unknown(UnmatchedArgumentException error, CommandSpec spec) {
        String word = error.getUnmatched().getFirst();
        if (word.startsWith("-")) {
            return "unknown option '%s'%s"
                    .formatted(word, Suggestion.forWord(word, spec.optionsMap().keySet()));
        }
        Set<String> verbs = spec.subcommands().keySet();
        return verbs.isEmpty()
                ? "unexpected argument '%s'".formatted(word)
                : "unknown command '%s'%s".formatted(word, Suggestion.forWord(word, verbs));
    }

    private static int failure(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        if (e instanceof ParameterException error) {
            return usageError(error, parsed.originalArgs().toArray(String[]::new));
        }
        Console console = CommandContext.of(line.getCommandSpec()).console();
        if (e instanceof OneRoofException known) {
            known.message()
                    .lines()
                    .map(message -> OptionNames.named(message, line))
                    .forEach(console::say);
            return known.code().exitCode();
        }
        if (SqlState.of(e) != null) {
            OneRoofException explained = Connections.explained("the database", e);
            console.say(explained.message());
            return explained.code().exitCode();
        }
        console.say("internal error, please report it: " + e);
        e.printStackTrace(console.messages());
        return ErrorCode.FAILED.exitCode();
    }
}
