package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobReport;
import dev.oneroof.core.job.JobState;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists jobs, alive and ended, the newest first.")
final class JobListCommand implements Callable<Integer> {
    record Answer(List<JobReport.Shown> jobs, boolean more) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--kind", paramLabel = "KIND", description = "Of this kind only.")
    private @Nullable String kind;

    @Option(names = "--state", paramLabel = "STATE", description = "In this state only: ${COMPLETION-CANDIDATES}.")
    private @Nullable JobState state;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = JobIds.class,
            description = "Older than this one: the next page.")
    private @Nullable JobId before;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.PageSize.class,
            description = "At most so many; without it 100.")
    private long limit;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            int wanted = Math.toIntExact(limit);
            List<JobReport.Shown> found = new JobReport(db).list(kind, state, before, wanted + 1);
            report(new Answer(found.subList(0, Math.min(wanted, found.size())), found.size() > wanted));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("ID", "KIND", "STATE", "TRIES", "SCHEDULED", "HELD BY", "LAST ERROR"),
                answer.jobs().stream()
                        .map(job -> List.of(
                                job.id(),
                                job.kind(),
                                job.state(),
                                "%d of %d".formatted(job.attempts(), job.maxAttempts()),
                                job.scheduledAt(),
                                job.leaseOwner() == null ? "-" : job.leaseOwner(),
                                job.lastError() == null ? "-" : job.lastError()))
                        .toList());
        if (answer.more()) {
            Console.say("there are more; --before %s shows them"
                    .formatted(answer.jobs().getLast().id()));
        }
    }
}
