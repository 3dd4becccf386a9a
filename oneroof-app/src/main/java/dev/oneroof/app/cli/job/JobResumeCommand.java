package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Resume a paused kind: its jobs start again.")
final class JobResumeCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "KIND", description = "The kind; see 'oneroof job kinds'.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean resumed = new Jobs(db).resumeKind(kind, by);
            return JobKindAnswer.of(kind, resumed ? "resumed" : "not paused");
        });
    }
}
