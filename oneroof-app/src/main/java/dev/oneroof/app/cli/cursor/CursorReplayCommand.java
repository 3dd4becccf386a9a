package dev.oneroof.app.cli.cursor;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.CursorReport;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.text.Counted;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "replay",
        description = "Set a cursor back: the rows after the position are processed again.",
        footer = {"", "Effects that are idempotent by a key are not repeated; others happen again."})
final class CursorReplayCommand implements Callable<Integer> {
    record Answer(
            String cursor,
            long rows,
            boolean more,
            @Nullable String first,
            @Nullable String last,
            boolean replayed) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @ArgGroup(multiplicity = "1", exclusive = true)
    @SuppressWarnings("NullAway.Init")
    private To to;

    static final class To {
        @Option(names = "--from-start", description = "From the first row.")
        private boolean start;

        @ArgGroup(multiplicity = "1", exclusive = false)
        private @Nullable Place place;
    }

    static final class Place {
        @Option(
                names = "--to-time",
                paramLabel = "TIME",
                description = "After all rows of this time, such as 2026-01-31T09:30:00Z.")
        private @Nullable String time;

        @Option(
                names = "--to-id",
                paramLabel = "ID",
                description = "After the row with this id; with --to-time, of that time.")
        private @Nullable String id;

        @Nullable
        Watermark watermark() {
            return time == null && id == null ? null : new Watermark(time, id);
        }
    }

    @Option(names = "--dry-run", description = "Show what would be processed again; change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Cursors cursors = new Cursors(db);
            @Nullable Watermark place = to.start || to.place == null ? null : to.place.watermark();
            CursorReport.Preview preview = cursors.previewReplay(scope, place);
            act.output()
                    .say("to be processed again by %s: %s, from %s to %s"
                            .formatted(
                                    scope,
                                    preview.more()
                                            ? preview.rows() + " or more rows"
                                            : Counted.of(preview.rows(), "row"),
                                    preview.first() == null ? "-" : preview.first(),
                                    preview.last() == null ? "-" : preview.last()));
            if (!dryRun) {
                if (!yes) {
                    Confirmation.atTheTerminal(act.output().console()).demand("replay '%s'?".formatted(scope));
                }
                preview = cursors.replay(scope, place, by);
            }
            return new ActOptions.Result(
                    dryRun ? "nothing was changed (--dry-run)" : "%s was set back".formatted(scope),
                    new Answer(
                            scope.toString(),
                            preview.rows(),
                            preview.more(),
                            preview.first(),
                            preview.last(),
                            !dryRun));
        });
    }
}
