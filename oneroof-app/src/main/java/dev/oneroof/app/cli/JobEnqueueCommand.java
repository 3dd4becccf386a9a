package dev.oneroof.app.cli;

import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.signal.Payload;
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

    @Parameters(paramLabel = "KIND", description = "Its kind.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Option(
            names = "--payload",
            paramLabel = "JSON",
            defaultValue = "{}",
            description = "An object of addresses and figures; nothing without it.")
    private String payload = "{}";

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "While a job with this key is alive, no second one is enqueued.")
    private @Nullable String key;

    @Option(
            names = "--priority",
            paramLabel = "N",
            defaultValue = "0",
            converter = Numbers.Priority.class,
            description = "0 to 100: goes before others of priority 0 that came up to so many minutes earlier.")
    private long priority;

    @Option(names = "--in", paramLabel = "DURATION", converter = Durations.class, description = "Not before so long.")
    private @Nullable Duration in;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            converter = Numbers.Attempts.class,
            description = "Give up after so many; without it as its kind says.")
    private @Nullable Long maxAttempts;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        NewJob job = new NewJob(
                kind,
                new Payload(payload),
                key,
                Math.toIntExact(priority),
                in == null ? null : Instant.now().plus(in),
                maxAttempts == null ? null : Math.toIntExact(maxAttempts),
                null);
        return OperatorAccess.inDatabase(options, db -> {
            Enqueued enqueued = new Jobs(db).enqueue(job);
            Console.say(
                    enqueued.isNew()
                            ? "enqueued %s".formatted(enqueued.id())
                            : "%s bears this key and is alive".formatted(enqueued.id()));
            if (json) {
                Console.printJson(new Answer(enqueued.id().toString(), enqueued.isNew()));
            }
            return 0;
        });
    }
}
