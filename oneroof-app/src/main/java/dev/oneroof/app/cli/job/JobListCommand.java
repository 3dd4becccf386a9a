package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.Page;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobReport;
import dev.oneroof.core.job.JobState;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "List jobs, alive and ended, newest first.")
final class JobListCommand implements Callable<Integer> {
    private static final Columns<JobReport.Shown> COLUMNS = new Columns<JobReport.Shown>()
            .with("ID", JobReport.Shown::id)
            .with("KIND", JobReport.Shown::kind)
            .with("STATE", JobReport.Shown::state)
            .with("TRIES", job -> "%d of %d".formatted(job.attempts(), job.maxAttempts()))
            .with("SCHEDULED", JobReport.Shown::scheduledAt)
            .with("HELD BY", JobReport.Shown::leaseOwner)
            .with("LAST ERROR", JobReport.Shown::lastError);

    record Answer(List<JobReport.Shown> jobs, boolean more) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--kind", paramLabel = "KIND", description = "Only jobs of this kind.")
    private @Nullable String kind;

    @Option(names = "--state", paramLabel = "STATE", description = "Only jobs in this state: ${COMPLETION-CANDIDATES}.")
    private @Nullable JobState state;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = JobIdConverter.class,
            description = "Only jobs older than this one: the next page.")
    private @Nullable JobId before;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = NumberConverters.PageSize.class,
            description = "At most N jobs (default ${DEFAULT-VALUE}).")
    private long limit;

    @Override
    public Integer call() {
        Page<JobReport.Shown> page = OperatorAccess.inDatabase(
                options, db -> Page.of(limit, most -> new JobReport(db).list(kind, state, before, most)));
        output.answer(new Answer(page.rows(), page.more()), () -> print(page));
        return 0;
    }

    private void print(Page<JobReport.Shown> page) {
        output.print(page.rows(), COLUMNS, "there is no such job");
        if (page.more()) {
            output.say("there are more; --before %s shows them"
                    .formatted(page.rows().getLast().id()));
        }
    }
}
