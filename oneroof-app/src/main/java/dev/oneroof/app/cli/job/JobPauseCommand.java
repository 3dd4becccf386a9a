package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.job.JobKindReport;
import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "pause", description = "Pause a kind: no job of it starts until it is resumed. Running jobs finish.")
final class JobPauseCommand implements Callable<Integer> {
    /** A pause that exists already, and its actor. */
    private record Already(String kind, String done, String pauseActor, String pauseReason) {}

    private static final String ALREADY = "paused already";

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "KIND", description = "The kind; see 'oneroof job kinds'.")
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
                    // It has been resumed in the meantime.
                    .orElseGet(() -> JobKindAnswer.of(kind, ALREADY));
        });
    }

    private ActOptions.Result already(JobKindReport.Pause pause) {
        return new ActOptions.Result(
                "%s is %s, by %s: %s; the new reason is not recorded"
                        .formatted(kind, ALREADY, pause.actor(), pause.reason()),
                new Already(kind, ALREADY, pause.actor(), pause.reason()));
    }
}
