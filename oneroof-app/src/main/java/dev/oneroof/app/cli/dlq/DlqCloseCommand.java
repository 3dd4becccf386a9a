package dev.oneroof.app.cli.dlq;

import dev.oneroof.core.job.Triage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "close", description = "Close dead letters of jobs for good: they can no longer be replayed.")
final class DlqCloseCommand implements Callable<Integer> {
    @Mixin
    private final TriageOptions act = new TriageOptions();

    @Override
    public Integer call() {
        return act.triage(Triage.CLOSED);
    }
}
