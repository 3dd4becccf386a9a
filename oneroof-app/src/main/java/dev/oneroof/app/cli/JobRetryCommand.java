package dev.oneroof.app.cli;

import dev.oneroof.core.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "retry", description = "Has a job that waits for its time, or for its next attempt, tried now.")
final class JobRetryCommand implements Callable<Integer> {
    record Answer(String jobId, String state) {}

    @Mixin
    private final JobAct act = new JobAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            new Jobs(db).retryNow(act.id(), act.act());
            act.report("%s is due".formatted(act.id()), new Answer(act.id().toString(), "queued"));
            return 0;
        });
    }
}
