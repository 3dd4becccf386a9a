package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobReport;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Shows one job, and the last lines that its handler said.")
final class JobShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "ID", converter = JobIds.class, description = "Its id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new JobReport(db).show(id));
            return 0;
        });
    }

    private void report(JobReport.Story story) {
        if (json) {
            Console.printJson(story);
            return;
        }
        JobReport.Shown job = story.job();
        print("job", job.id());
        print("kind", "%s, domain %s".formatted(job.kind(), job.domain()));
        print("state", job.cancelling() ? job.state() + ", to be given up" : job.state());
        print("attempts", "%d of %d".formatted(job.attempts(), job.maxAttempts()));
        print("enqueued", job.enqueuedAt());
        print("scheduled", "%s, priority %d".formatted(job.scheduledAt(), job.priority()));
        print("leased", job.leasedAt() == null ? null : "%s by %s".formatted(job.leasedAt(), job.leaseOwner()));
        print("until", job.leaseUntil());
        print("ended", job.finishedAt());
        print("key", job.key());
        print("run", job.run());
        print("last error", job.lastError());
        print("payload", job.payload());
        if (!story.lines().isEmpty()) {
            Console.print("");
            Columns.print(
                    List.of("AT", "ATTEMPT", "LEVEL", "DONE", "LINE"),
                    story.lines().stream()
                            .map(line -> List.of(
                                    line.at(),
                                    Integer.toString(line.attempt()),
                                    line.level(),
                                    line.percent() == null ? "-" : line.percent() + " %",
                                    line.line()))
                            .toList());
        }
    }

    private static void print(String name, @Nullable String value) {
        if (value != null) {
            Console.print("%-12s  %s".formatted(name, value));
        }
    }
}
