package dev.oneroof.app.cli;

import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "enqueue", description = "Enqueues a job of a kind that is registered.")
final class JobEnqueueCommand implements Callable<Integer> {
    record Answer(String jobId, boolean created) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final JobOptions job = new JobOptions();

    @Parameters(paramLabel = "KIND", description = "Its kind.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "While a job with this key is alive, no second one is enqueued.")
    private @Nullable String key;

    @Option(names = "--in", paramLabel = "DURATION", converter = Durations.class, description = "Not before so long.")
    private @Nullable Duration in;

    @Override
    public Integer call() {
        NewJob wanted = new NewJob(
                kind,
                job.payload(),
                key,
                job.priority(),
                in == null ? null : Instant.now().plus(in),
                job.maxAttempts(),
                null);
        return OperatorAccess.inDatabase(options, db -> {
            Enqueued enqueued = new Jobs(db).enqueue(wanted);
            output.report(
                    enqueued.isNew()
                            ? "enqueued %s".formatted(enqueued.id())
                            : "%s bears this key and is alive".formatted(enqueued.id()),
                    new Answer(enqueued.id().toString(), enqueued.isNew()));
            return 0;
        });
    }
}
