package dev.oneroof.app.cli;

import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "pause",
        description = "Has no job of a kind begun until it is resumed. What is being worked on may be finished.")
final class JobPauseCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "KIND", description = "The kind; 'oneroof job kinds' has them.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean paused = new Jobs(db).pauseKind(kind, by);
            return JobKindAnswer.of(kind, paused ? "paused" : "paused already");
        });
    }
}
