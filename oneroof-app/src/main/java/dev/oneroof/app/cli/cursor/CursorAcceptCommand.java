package dev.oneroof.app.cli.cursor;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "accept",
        description = "End a hold after you have checked its reason: the cursor continues from its position.",
        footer = {"", "Exit code 5: the cursor is not held."})
final class CursorAcceptCommand implements Callable<Integer> {
    record Answer(String cursor, boolean accepted) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Cursors(db).accept(scope, by);
            return new ActOptions.Result("%s continues".formatted(scope), new Answer(scope.toString(), true));
        });
    }
}
