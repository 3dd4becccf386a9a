package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceUse;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "remove",
        description = "Remove a source and the cursors of its workers. The table itself is not changed.",
        footer = {"", "Exit code 5: an instance reads it; stop that instance first."})
final class SourceRemoveCommand implements Callable<Integer> {
    record Answer(SourceAnswer source, List<SourceUse> workers, boolean removed) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Show what would be removed; remove nothing.")
    private boolean dryRun;

    @Override
    public Integer call() {
        Answer answer = act.inDatabase((db, by) -> {
            Sources sources = new Sources(db);
            TailSource source = sources.find(name);
            List<SourceUse> uses = sources.uses(name);
            preview(uses);
            if (!dryRun) {
                if (!yes) {
                    Confirmation.atTheTerminal(act.output().console()).demand("remove source '%s'?".formatted(name));
                }
                sources.remove(name, by.actor(), by.reason());
            }
            return new Answer(SourceAnswer.of(source), uses, !dryRun);
        });
        String done = dryRun ? "nothing was removed (--dry-run)" : "removed %s".formatted(name);
        act.output().answer(answer, () -> act.output().print(done));
        return 0;
    }

    private void preview(List<SourceUse> uses) {
        act.output()
                .say("to be removed: source '%s' and %s of its workers"
                        .formatted(name, Counted.of(uses.size(), "position")));
        for (SourceUse use : uses) {
            act.output()
                    .say("  %s/%d, %s seen%s"
                            .formatted(
                                    use.worker(),
                                    use.shard(),
                                    Counted.of(use.rowsSeen(), "row"),
                                    use.owner() == null ? "" : ", running on " + use.owner()));
        }
    }
}
