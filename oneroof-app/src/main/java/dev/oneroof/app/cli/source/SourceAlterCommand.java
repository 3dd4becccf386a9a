package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.core.tail.AlterPlan;
import dev.oneroof.core.tail.CursorReport;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "alter",
        description = "Change a source while it is being read, and show the effect on each cursor.",
        footer = {
            "",
            "If a cursor cannot continue from its position, the command shows where it restarts and asks first.",
            "The order key cannot be changed: register the table under another name.",
            "Exit code 5: the source or a cursor has changed since it was shown, or a gate is closed."
        })
final class SourceAlterCommand implements Callable<Integer> {
    /** The effect on a cursor: {@code goes_on}, {@code reads_again} or {@code repeats}. */
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
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Mixin
    private final SourceOptions reading = new SourceOptions();

    @Option(names = "--no-filter", description = "Remove the filter: all rows.")
    private boolean unfiltered;

    @Option(
            names = "--to-time",
            paramLabel = "TIME",
            description = "Cursors that must restart do so after this time, such as 2026-01-31T09:30:00Z.")
    private @Nullable String toTime;

    @Option(
            names = "--to-id",
            paramLabel = "ID",
            description = "Cursors that must restart do so after this id; with --to-time, of that time.")
    private @Nullable String toId;

    @Option(names = "--dry-run", description = "Show what would change; change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Override
    public Integer call() {
        demandOneChange();
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
            return new ActOptions.Result(
                    dryRun
                            ? "nothing was changed (--dry-run)"
                            : altered ? "altered %s".formatted(name) : "%s is unchanged".formatted(name),
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

    private void demandOneChange() {
        if (reading.isEmpty() && !unfiltered) {
            throw new ParameterException(
                    spec.commandLine(),
                    "missing one of: --contract, --mode, --filter, --no-filter, --zone, --batch-size, --poll, --lag-threshold, --reread");
        }
        if (reading.hasFilter() && unfiltered) {
            throw new ParameterException(spec.commandLine(), "--filter, --no-filter are mutually exclusive");
        }
    }

    private TailSource changed(TailSource before) {
        TailSource source = reading.applyTo(before);
        return unfiltered ? source.unfiltered() : source;
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
            case "repeats" -> "processes everything again from %s%s".formatted(from, rows);
            default -> "continues from %s".formatted(cursor.settled() == null ? "the beginning" : cursor.settled());
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
