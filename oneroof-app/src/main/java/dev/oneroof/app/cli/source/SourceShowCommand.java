package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceUse;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show a source and the workers that read it.")
final class SourceShowCommand implements Callable<Integer> {
    record Answer(SourceAnswer source, List<SourceUse> workers) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "The source's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            Answer answer = new Answer(SourceAnswer.of(sources.find(name)), sources.uses(name));
            output.answer(answer, () -> print(answer));
            return 0;
        });
    }

    private void print(Answer answer) {
        answer.source().lines().forEach(output::print);
        for (SourceUse use : answer.workers()) {
            output.print("read by        %s/%d, %s, %s"
                    .formatted(
                            use.worker(),
                            use.shard(),
                            Counted.of(use.rowsSeen(), "row"),
                            use.owner() == null ? "not running" : "running on " + use.owner()));
        }
    }
}
