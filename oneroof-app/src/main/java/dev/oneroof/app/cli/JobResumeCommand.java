package dev.oneroof.app.cli;

import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Has jobs of a paused kind begun again.")
final class JobResumeCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "KIND", description = "The kind; 'oneroof job kinds' has them.")
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
