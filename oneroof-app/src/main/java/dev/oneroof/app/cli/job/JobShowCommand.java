package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobReport;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show one job and the last log lines of its handler.")
final class JobShowCommand implements Callable<Integer> {
    private static final Columns<JobReport.Line> LINES = new Columns<JobReport.Line>()
            .with("AT", JobReport.Line::at)
            .with("ATTEMPT", JobReport.Line::attempt)
            .with("LEVEL", JobReport.Line::level)
            .with("DONE", line -> line.percent() == null ? null : line.percent() + " %")
            .with("LINE", JobReport.Line::line);

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job's id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Override
    public Integer call() {
        JobReport.Story story = OperatorAccess.inDatabase(options, db -> new JobReport(db).show(id));
        output.answer(story, () -> print(story));
        return 0;
    }

    private void print(JobReport.Story story) {
        JobReport.Shown job = story.job();
        print("job", job.id());
        print("kind", "%s, domain %s".formatted(job.kind(), job.domain()));
        print("state", job.cancelling() ? job.state() + ", cancel requested" : job.state());
        print("attempts", "%d of %d".formatted(job.attempts(), job.maxAttempts()));
        print("enqueued", job.enqueuedAt());
        print("scheduled", "%s, priority %d".formatted(job.scheduledAt(), job.priority()));
        print("leased", job.leasedAt() == null ? null : "%s by %s".formatted(job.leasedAt(), job.leaseOwner()));
        print("until", job.leaseUntil());
        print("ended", job.finishedAt());
        print("key", job.key());
        print("run", job.run());
        print("last error", job.lastError());
        print("dead letter", job.state().equals("failed") ? "oneroof dlq show " + job.id() : null);
        print("payload", job.payload());
        if (!story.lines().isEmpty()) {
            output.print("");
            output.print(story.lines(), LINES);
            story.lines().stream().filter(line -> line.leftOut() > 0).forEach(this::printLeftOut);
        }
    }

    private void printLeftOut(JobReport.Line last) {
        output.print("%d lines omitted before the last line of attempt %d".formatted(last.leftOut(), last.attempt()));
    }

    private void print(String name, @Nullable String value) {
        if (value != null) {
            output.print("%-12s  %s".formatted(name, value));
        }
    }
}
