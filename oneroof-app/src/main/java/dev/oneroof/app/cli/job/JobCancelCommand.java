package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.Jobs;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "cancel", description = "Cancel a job; if it is running, ask its worker to cancel it.")
final class JobCancelCommand implements Callable<Integer> {
    record Answer(String jobId, String cancelled) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job's id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Jobs.Cancelled how = new Jobs(db).cancel(id, by);
            String message = switch (how) {
                case AT_ONCE -> "%s is cancelled";
                case REQUESTED -> "%s is running; its worker was asked to cancel it";
            };
            return new ActOptions.Result(
                    message.formatted(id), new Answer(id.toString(), how.name().toLowerCase(Locale.ROOT)));
        });
    }
}
