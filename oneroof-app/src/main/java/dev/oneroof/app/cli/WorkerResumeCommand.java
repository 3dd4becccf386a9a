package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.Cursors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "resume", description = "Ends a pause.")
final class WorkerResumeCommand implements Callable<Integer> {
    record Answer(String worker, boolean wasPaused) {}

    @Mixin
    private final CursorAct act = new CursorAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            boolean paused = new Cursors(db).resume(act.scope(), act.act());
            act.report(
                    paused ? "%s goes on".formatted(act.scope()) : "%s was not paused".formatted(act.scope()),
                    new Answer(act.scope().toString(), paused));
            return 0;
        });
    }
}
