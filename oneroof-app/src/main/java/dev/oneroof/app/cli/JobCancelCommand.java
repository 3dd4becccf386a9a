package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.Jobs;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "cancel", description = "Gives up a job that nobody works on; asks the one who works on it to do so.")
final class JobCancelCommand implements Callable<Integer> {
    record Answer(String jobId, String cancelled) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "ID", converter = JobIds.class, description = "Its id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Jobs.Cancelled how = new Jobs(db).cancel(id, by);
            String said = switch (how) {
                case AT_ONCE -> "%s is cancelled";
                case REQUESTED -> "%s is being worked on; who does so was asked to give it up";
            };
            return new Act.Done(
                    said.formatted(id), new Answer(id.toString(), how.name().toLowerCase(Locale.ROOT)));
        });
    }
}
