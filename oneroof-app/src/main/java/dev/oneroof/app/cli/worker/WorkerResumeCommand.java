package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
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

    @Parameters(paramLabel = "NAME", description = "WORKER/SOURCE, or WORKER where it has only one scope.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Cursors cursors = new Cursors(db);
            Scope scope = cursors.pausable(name);
            boolean paused = cursors.resume(scope, by);
            return new ActOptions.Result(
                    paused ? "%s is resumed".formatted(scope) : "%s was not paused".formatted(scope),
                    new Answer(scope.toString(), paused));
        });
    }
}
