package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.InspectionResult;
import dev.oneroof.core.tail.source.SourceOutline;
import dev.oneroof.core.tail.source.TailSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "add",
        description = "Register a table to be tailed. Column types are read from the table.",
        footer = {
            "",
            "Without --contract, the contract is derived from the table.",
            "Names are written as in SQL: folded to lower case unless in double quotes.",
            "Durations are whole numbers followed by ms, s, m, h or d."
        })
final class SourceAddCommand implements Callable<Integer> {
    record Answer(
            SourceAnswer source, boolean registered, boolean contractProposed, List<String> warnings, String seen) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "The source's name: a-z, 0-9, _, . and -.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--table", required = true, paramLabel = "[SCHEMA.]TABLE", description = "The table.")
    @SuppressWarnings("NullAway.Init")
    private String table;

    @Option(
            names = "--id",
            required = true,
            paramLabel = "COLUMN",
            description = "The id column: the order key, or with --ts its last part.")
    @SuppressWarnings("NullAway.Init")
    private String idColumn;

    @Option(names = "--ts", paramLabel = "COLUMN", description = "The time column: the first part of the order key.")
    private @Nullable String timeColumn;

    @Mixin
    private final SourceOptions reading = new SourceOptions();

    @Option(names = "--dry-run", description = "Show what would be registered; register nothing.")
    private boolean dryRun;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            TailSource source = reading.applyBeyondOrder(sources.draft(
                    new SourceOutline(name, table, idColumn, timeColumn, reading.zone(), reading.contract())));
            InspectionResult inspected = dryRun ? sources.inspect(source) : sources.add(source, OperatorAccess.actor());
            report(new Answer(
                    SourceAnswer.of(source),
                    !dryRun,
                    reading.contract() == null,
                    inspected.warnings(),
                    inspected.seen()));
            return 0;
        });
    }

    private void report(Answer answer) {
        answer.warnings().forEach(warning -> output.say("warning: " + warning));
        if (answer.contractProposed()) {
            output.say("contract: '%s', derived from the table; --contract overrides it"
                    .formatted(answer.source().contract()));
        }
        output.say(answer.seen());
        output.answer(answer, () -> {
            answer.source().lines().forEach(output::print);
            output.say(answer.registered() ? "registered" : "nothing was registered (--dry-run)");
        });
    }
}
