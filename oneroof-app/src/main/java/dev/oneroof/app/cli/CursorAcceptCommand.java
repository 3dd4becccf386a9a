package dev.oneroof.app.cli;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "accept",
        description = "Ends a hold after a look: the cursor goes on from where it stands, on the server as it is.",
        footer = {"", "Exit code 5: the cursor does not hold."})
final class CursorAcceptCommand implements Callable<Integer> {
    record Answer(String cursor, boolean accepted) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = CursorName.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Cursors(db).accept(scope, by);
            return new Act.Done("%s goes on".formatted(scope), new Answer(scope.toString(), true));
        });
    }
}
