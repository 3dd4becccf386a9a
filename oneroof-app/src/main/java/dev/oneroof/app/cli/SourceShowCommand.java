package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.SourceUse;
import dev.oneroof.core.tabletail.Sources;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Shows a source, and the workers that read it.")
final class SourceShowCommand implements Callable<Integer> {
    record Answer(SourceAnswer source, List<SourceUse> workers) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            report(new Answer(SourceAnswer.of(sources.find(name)), sources.uses(name)));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        answer.source().print();
        for (SourceUse use : answer.workers()) {
            Console.print("read by        %s/%d, %s, %s"
                    .formatted(
                            use.worker(),
                            use.shard(),
                            Counted.of(use.rowsSeen(), "row"),
                            use.owner() == null ? "not running" : "running on " + use.owner()));
        }
    }
}
