package dev.oneroof.app.cli;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Ends a pause.")
final class WorkerResumeCommand implements Callable<Integer> {
    record Answer(String worker, boolean wasPaused) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = CursorName.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean paused = new Cursors(db).resume(scope, by);
            return new Act.Done(
                    paused ? "%s goes on".formatted(scope) : "%s was not paused".formatted(scope),
                    new Answer(scope.toString(), paused));
        });
    }
}
