package dev.oneroof.app.cli;

import dev.oneroof.core.tail.AlterPlan;
import dev.oneroof.core.tail.CursorReport;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "alter",
        description = "Changes a source while it is read, and says what that means for each cursor.",
        footer = {
            "",
            "Where a cursor cannot go on from where it stands, it says from where that cursor reads again, and asks.",
            "The order key stays: for another one, register the table under another name.",
            "Exit code 5: the source or a cursor has changed since it was shown, or a gate is closed."
        })
final class SourceAlterCommand implements Callable<Integer> {
    /** What becomes of a cursor: {@code goes_on}, {@code reads_again} or {@code repeats}. */
    record CursorAnswer(
            String cursor,
            @Nullable String settled,
            String effect,
            @Nullable String from,
            @Nullable Long rows,
            boolean more,
            String why) {}

    record Answer(
            SourceAnswer source,
            List<String> changes,
            List<CursorAnswer> cursors,
            List<String> warnings,
            boolean altered) {}

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(
            names = "--contract",
            paramLabel = "CONTRACT",
            description = "What the writers keep to: clock, sequence or external.")
    private @Nullable OrderContract contract;

    @Option(names = "--mode", paramLabel = "MODE", description = "prompt, or strict: keep the order of the keys.")
    private @Nullable Mode mode;

    @ArgGroup(exclusive = true)
    private @Nullable Filter filter;

    static final class Filter {
        @Option(names = "--filter", paramLabel = "SQL", description = "Only rows for which this condition holds.")
        private @Nullable String condition;

        @Option(names = "--no-filter", description = "All rows.")
        private boolean none;
    }

    @Option(names = "--zone", paramLabel = "ZONE", description = "In which zone a timestamp without zone is kept.")
    private @Nullable String zone;

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

    @Option(
            names = "--to-time",
            paramLabel = "TIME",
            description = "Cursors that must read again do so behind this time only, as 2026-01-31T09:30:00Z.")
    private @Nullable String toTime;

    @Option(
            names = "--to-id",
            paramLabel = "ID",
            description = "Cursors that must read again do so behind this id only, of that time if given.")
    private @Nullable String toId;

    @Option(names = "--dry-run", description = "Tell what would be changed, and change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Override
    public Integer call() {
        if (asksForNothing()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "missing is one of: --contract, --mode, --filter, --no-filter, --zone, --batch-size, --poll, --lag-threshold, --reread");
        }
        return act.perform((db, by) -> {
            Sources sources = new Sources(db);
            @Nullable Watermark to = toTime == null && toId == null ? null : new Watermark(toTime, toId);
            AlterPlan plan = sources.planAlter(name, this::changed, to);
            preview(plan);
            boolean altered = !dryRun && !plan.changesNothing();
            if (altered) {
                if (!yes && !plan.isSound()) {
                    Confirmation.atTheTerminal(act.output().console())
                            .demand("alter source '%s' and set its cursors back?".formatted(name));
                }
                sources.alter(plan, by);
            }
            return new Act.Done(
                    dryRun
                            ? "nothing was changed (--dry-run)"
                            : altered ? "altered %s".formatted(name) : "%s is so already".formatted(name),
                    new Answer(
                            SourceAnswer.of(plan.after()),
                            plan.changes(),
                            plan.cursors().stream()
                                    .map(SourceAlterCommand::answer)
                                    .toList(),
                            plan.warnings(),
                            altered));
        });
    }

    private boolean asksForNothing() {
        return contract == null
                && mode == null
                && filter == null
                && zone == null
                && batchSize == null
                && poll == null
                && lagThreshold == null
                && reread == null;
    }

    private TailSource changed(TailSource before) {
        TailSource source = before;
        source = zone == null ? source : source.inZone(zone);
        source = contract == null ? source : source.under(contract);
        source = mode == null ? source : source.in(mode);
        if (filter != null) {
            source = filter.none || filter.condition == null ? source.unfiltered() : source.where(filter.condition);
        }
        source = batchSize == null ? source : source.inBatchesOf(Math.toIntExact(batchSize));
        source = poll == null ? source : source.polledEvery(poll);
        source = lagThreshold == null ? source : source.behindAfter(lagThreshold);
        return reread == null ? source : source.rereading(reread);
    }

    private void preview(AlterPlan plan) {
        plan.warnings().forEach(warning -> act.output().say("warning: " + warning));
        plan.changes().forEach(change -> act.output().say("to be changed: " + change));
        plan.cursors().stream()
                .map(SourceAlterCommand::answer)
                .forEach(cursor ->
                        act.output().say("  %s %s; %s".formatted(cursor.cursor(), does(cursor), cursor.why())));
    }

    private static String does(CursorAnswer cursor) {
        String from = cursor.from() == null ? "the beginning" : cursor.from();
        String rows = cursor.rows() == null
                ? ""
                : cursor.more()
                        ? ", %d or more rows".formatted(cursor.rows())
                        : ", " + Counted.of(cursor.rows(), "row");
        return switch (cursor.effect()) {
            case "reads_again" -> "reads again from %s%s".formatted(from, rows);
            case "repeats" -> "hands out everything again from %s%s".formatted(from, rows);
            default -> "goes on from %s".formatted(cursor.settled() == null ? "the beginning" : cursor.settled());
        };
    }

    private static CursorAnswer answer(AlterPlan.CursorChange planned) {
        return switch (planned.effect()) {
            case AlterPlan.Effect.Continues on -> answer(planned, "goes_on", null, null, on.why());
            case AlterPlan.Effect.Rereads again -> answer(planned, "reads_again", again.from(), null, again.why());
            case AlterPlan.Effect.Replays again -> answer(planned, "repeats", again.from(), again.rows(), again.why());
        };
    }

    private static CursorAnswer answer(
            AlterPlan.CursorChange planned,
            String effect,
            @Nullable Watermark from,
            CursorReport.@Nullable Preview rows,
            String why) {
        return new CursorAnswer(
                planned.scope().toString(),
                planned.settled() == null ? null : planned.settled().toString(),
                effect,
                from == null ? null : from.toString(),
                rows == null ? null : rows.rows(),
                rows != null && rows.more(),
                why);
    }
}
