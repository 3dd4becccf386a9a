package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "retry", description = "Run a job now that waits for its scheduled time or its next attempt.")
final class JobRetryCommand implements Callable<Integer> {
    record Answer(String jobId, String state) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job's id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Jobs(db).retryNow(id, by);
            return new ActOptions.Result("%s is due".formatted(id), new Answer(id.toString(), "queued"));
        });
    }
}
