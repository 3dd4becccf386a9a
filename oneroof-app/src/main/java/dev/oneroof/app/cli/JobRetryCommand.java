package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "retry", description = "Has a job that waits for its time, or for its next attempt, tried now.")
final class JobRetryCommand implements Callable<Integer> {
    record Answer(String jobId, String state) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "ID", converter = JobIds.class, description = "Its id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Jobs(db).retryNow(id, by);
            return new Act.Done("%s is due".formatted(id), new Answer(id.toString(), "queued"));
        });
    }
}
