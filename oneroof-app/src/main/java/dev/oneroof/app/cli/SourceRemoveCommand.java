package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.SourceUse;
import dev.oneroof.core.tabletail.Sources;
import dev.oneroof.core.tabletail.TailSource;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "remove",
        description = "Forgets a source and where its workers were. The table itself stays as it is.",
        footer = {"", "Exit code 5: an instance reads it; stop that one first."})
final class SourceRemoveCommand implements Callable<Integer> {
    record Answer(SourceAnswer source, List<SourceUse> workers, boolean removed) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Tell what would be removed, and remove nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            TailSource source = sources.find(name);
            List<SourceUse> uses = sources.uses(name);
            preview(uses);
            if (!dryRun) {
                if (!yes) {
                    Confirmation.atTheTerminal().demand("remove source '%s'?".formatted(name));
                }
                sources.remove(name, OperatorAccess.actor(), reason);
            }
            report(new Answer(SourceAnswer.of(source), uses, !dryRun));
            return 0;
        });
    }

    private void preview(List<SourceUse> uses) {
        Console.say("to be removed: source '%s' and %s of its workers"
                .formatted(name, Counted.of(uses.size(), "position")));
        for (SourceUse use : uses) {
            Console.say("  %s/%d, %s seen%s"
                    .formatted(
                            use.worker(),
                            use.shard(),
                            Counted.of(use.rowsSeen(), "row"),
                            use.owner() == null ? "" : ", running on " + use.owner()));
        }
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
        } else {
            Console.print(answer.removed() ? "removed %s".formatted(name) : "nothing was removed (--dry-run)");
        }
    }
}
