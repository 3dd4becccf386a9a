package dev.oneroof.app.cli.finding;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.operator.Findings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resolve", description = "Resolve a finding. If its condition still holds, it is raised again.")
final class FindingResolveCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "ID", description = "The finding's id; 'oneroof finding list' has them.")
    private long id;

    @Override
    public Integer call() {
        return act.perform((db, by) ->
                new ActOptions.Result("finding %d is resolved".formatted(id), new Findings(db).resolve(id, by)));
    }
}
