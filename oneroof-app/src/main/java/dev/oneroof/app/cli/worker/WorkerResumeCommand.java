package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "End the pause of a worker.")
final class WorkerResumeCommand implements Callable<Integer> {
    record Answer(String worker, boolean wasPaused) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean paused = new Cursors(db).resume(scope, by);
            return new ActOptions.Result(
                    paused ? "%s is resumed".formatted(scope) : "%s was not paused".formatted(scope),
                    new Answer(scope.toString(), paused));
        });
    }
}
