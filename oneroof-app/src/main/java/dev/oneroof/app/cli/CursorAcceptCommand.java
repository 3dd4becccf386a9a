package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "accept",
        description = "Ends a hold after a look: the cursor goes on from where it stands, on the server as it is.",
        footer = {"", "Exit code 5: the cursor does not hold."})
final class CursorAcceptCommand implements Callable<Integer> {
    record Answer(String cursor, boolean accepted) {}

    @Mixin
    private final CursorAct act = new CursorAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            new Cursors(db).accept(act.scope(), act.act());
            act.report(
                    "%s goes on".formatted(act.scope()), new Answer(act.scope().toString(), true));
            return 0;
        });
    }
}
