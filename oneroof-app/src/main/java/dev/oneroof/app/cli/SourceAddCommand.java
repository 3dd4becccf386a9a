package dev.oneroof.app.cli;

import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.InspectionResult;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceOutline;
import dev.oneroof.core.tail.source.TailSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "add",
        description = "Registers a table to be tailed. Types are read from the table.",
        footer = {
            "",
            "Names are written as in SQL: folded to lower case unless in double quotes.",
            "Durations are whole numbers with ms, s, m, h or d behind them."
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
            description = "The column that orders, or orders last.")
    @SuppressWarnings("NullAway.Init")
    private String idColumn;

    @Option(names = "--ts", paramLabel = "COLUMN", description = "The time column that orders first.")
    private @Nullable String timeColumn;

    @Option(names = "--zone", paramLabel = "ZONE", description = "In which zone a timestamp without zone is kept.")
    private @Nullable String zone;

    @Option(
            names = "--contract",
            paramLabel = "CONTRACT",
            description = "What the writers keep to: clock, sequence or external. Without it, what the table shows.")
    private @Nullable OrderContract contract;

    @Option(names = "--mode", paramLabel = "MODE", description = "prompt, or strict: keep the order of the keys.")
    private @Nullable Mode mode;

    @Option(names = "--filter", paramLabel = "SQL", description = "Only rows for which this condition holds.")
    private @Nullable String filter;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            converter = Numbers.BatchSize.class,
            description = "Rows in a batch at most.")
    private @Nullable Long batchSize;

    @Option(
            names = "--poll",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "How often to look when nothing comes.")
    private @Nullable Duration poll;

    @Option(
            names = "--lag-threshold",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "From which lag on it counts as behind.")
    private @Nullable Duration lagThreshold;

    @Option(
            names = "--reread",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "How far back to read again under contract external.")
    private @Nullable Duration reread;

    @Option(names = "--dry-run", description = "Tell what would be registered, and register nothing.")
    private boolean dryRun;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            TailSource source =
                    asked(sources.draft(new SourceOutline(name, table, idColumn, timeColumn, zone, contract)));
            InspectionResult inspected = dryRun ? sources.inspect(source) : sources.add(source, OperatorAccess.actor());
            report(new Answer(
                    SourceAnswer.of(source), !dryRun, contract == null, inspected.warnings(), inspected.seen()));
            return 0;
        });
    }

    /** With what was asked for beyond the table and its order. */
    private TailSource asked(TailSource drafted) {
        TailSource source = drafted;
        source = mode == null ? source : source.in(mode);
        source = filter == null ? source : source.where(filter);
        source = batchSize == null ? source : source.inBatchesOf(Math.toIntExact(batchSize));
        source = poll == null ? source : source.polledEvery(poll);
        source = lagThreshold == null ? source : source.behindAfter(lagThreshold);
        return reread == null ? source : source.rereading(reread);
    }

    private void report(Answer answer) {
        answer.warnings().forEach(warning -> output.say("warning: " + warning));
        if (answer.contractProposed()) {
            output.say("contract: '%s' is what the table shows; --contract says otherwise"
                    .formatted(answer.source().contract()));
        }
        output.say(answer.seen());
        output.answer(answer, () -> {
            answer.source().lines().forEach(output::print);
            output.say(answer.registered() ? "registered" : "nothing was registered (--dry-run)");
        });
    }
}
