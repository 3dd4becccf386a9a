package dev.oneroof.app.cli;

import dev.oneroof.core.job.Triage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "close",
        description = "Closes dead letters of jobs for good: they are not done, and not replayed any more.")
final class DlqCloseCommand implements Callable<Integer> {
    @Mixin
    private final DlqAct act = new DlqAct();

    @Override
    public Integer call() {
        return act.triage(Triage.CLOSED);
    }
}
