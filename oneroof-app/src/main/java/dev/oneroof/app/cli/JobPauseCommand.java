package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobKindReport;
import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "pause",
        description = "Has no job of a kind begun until it is resumed. What is being worked on may be finished.")
final class JobPauseCommand implements Callable<Integer> {
    /** What is so already, and by whom. */
    private record Already(String kind, String done, String pauseActor, String pauseReason) {}

    private static final String ALREADY = "paused already";

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "KIND", description = "The kind; 'oneroof job kinds' has them.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            if (new Jobs(db).pauseKind(kind, by)) {
                return JobKindAnswer.of(kind, "paused");
            }
            return new JobKindReport(db)
                    .pause(kind)
                    .map(this::already)
                    // It was resumed just now.
                    .orElseGet(() -> JobKindAnswer.of(kind, ALREADY));
        });
    }

    private Act.Done already(JobKindReport.Pause pause) {
        return new Act.Done(
                "%s is %s, by %s: %s; it stays so, and the reason given now is not kept"
                        .formatted(kind, ALREADY, pause.actor(), pause.reason()),
                new Already(kind, ALREADY, pause.actor(), pause.reason()));
    }
}
