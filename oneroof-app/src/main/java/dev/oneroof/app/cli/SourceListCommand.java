package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.Sources;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the registered sources.")
final class SourceListCommand implements Callable<Integer> {
    record Answer(List<SourceAnswer> sources) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Answer(
                    new Sources(db).list().stream().map(SourceAnswer::of).toList()));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("SOURCE", "TABLE", "ORDERED BY", "CONTRACT", "MODE"),
                answer.sources().stream()
                        .map(source -> List.of(
                                source.name(),
                                source.schema() + "." + source.table(),
                                source.key(),
                                source.contract(),
                                source.mode()))
                        .toList());
    }
}
