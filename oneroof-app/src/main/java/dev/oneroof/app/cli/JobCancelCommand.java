package dev.oneroof.app.cli;

import dev.oneroof.core.job.Jobs;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "cancel", description = "Gives up a job that nobody works on; asks the one who works on it to do so.")
final class JobCancelCommand implements Callable<Integer> {
    record Answer(String jobId, String cancelled) {}

    @Mixin
    private final JobAct act = new JobAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            Jobs.Cancelled how = new Jobs(db).cancel(act.id(), act.act());
            String said = switch (how) {
                case AT_ONCE -> "%s is cancelled";
                case REQUESTED -> "%s is being worked on; who does so was asked to give it up";
            };
            act.report(
                    said.formatted(act.id()),
                    new Answer(act.id().toString(), how.name().toLowerCase(Locale.ROOT)));
            return 0;
        });
    }
}
