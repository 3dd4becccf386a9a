package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.NumberText;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.job.JobKindReport;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "kinds",
        description = "List the kinds of jobs: limits, and how many jobs wait, run or are scheduled for later.",
        footer = {"", "Your program registers a kind together with its handler."})
final class JobKindsCommand implements Callable<Integer> {
    private static final int COUNTED = 10_000;

    record Answer(List<JobKindReport.Kind> kinds) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<JobKindReport.Kind> kinds = OperatorAccess.inDatabase(options, db -> new JobKindReport(db).list());
        output.list(
                new Answer(kinds),
                kinds,
                columns(kinds),
                "no kind of jobs is registered; 'oneroof demo' registers three");
        return 0;
    }

    private static Columns<JobKindReport.Kind> columns(List<JobKindReport.Kind> kinds) {
        // Only the first 10,000 scheduled jobs are counted; there may be more of any kind.
        boolean mayBeMore =
                kinds.stream().mapToLong(JobKindReport.Kind::scheduled).sum() >= COUNTED;
        return new Columns<JobKindReport.Kind>()
                .with("KIND", JobKindReport.Kind::kind)
                .with("DOMAIN", JobKindReport.Kind::domain)
                .with("LIMITS", JobKindsCommand::limits)
                .with("WAITING", kind -> kind.queued() > COUNTED ? "over " + COUNTED : kind.queued())
                .with("RUNNING", JobKindReport.Kind::leased)
                .with("LATER", kind -> mayBeMore ? kind.scheduled() + " or more" : kind.scheduled())
                .with("PAUSED", JobKindsCommand::paused)
                .with("DOES", JobKindReport.Kind::description);
    }

    private static @Nullable Object limits(JobKindReport.Kind kind) {
        String limits = Stream.of(
                        kind.maxRunning() == null ? "" : "%d at once".formatted(kind.maxRunning()),
                        kind.rateCount() == null || kind.rateSeconds() == null
                                ? ""
                                : "%d in %s s".formatted(kind.rateCount(), NumberText.of(kind.rateSeconds())))
                .filter(limit -> !limit.isEmpty())
                .collect(Collectors.joining(", "));
        return limits.isEmpty() ? null : limits;
    }

    private static @Nullable Object paused(JobKindReport.Kind kind) {
        return kind.pausedAt() == null ? null : "by %s: %s".formatted(kind.pauseActor(), kind.pauseReason());
    }
}
