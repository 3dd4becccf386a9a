package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.JobOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.JobKindReport;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "enqueue",
        description = "Enqueue a job of a registered kind and print its id. Warns when no worker would start it now.")
final class JobEnqueueCommand implements Callable<Integer> {
    record Answer(String jobId, boolean created) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final JobOptions job = new JobOptions();

    @Parameters(paramLabel = "KIND", description = "The job's kind; see 'oneroof job kinds'.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "No second job is enqueued while a job with this key is alive.")
    private @Nullable String key;

    @Option(
            names = "--in",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Start it no earlier than after this time.")
    private @Nullable Duration in;

    @Override
    public Integer call() {
        NewJob wanted = new NewJob(kind, job.payload(), key, job.priority(), null, in, job.maxAttempts(), null);
        return OperatorAccess.inDatabase(options, db -> {
            Enqueued enqueued = enqueue(db, wanted);
            output.say(
                    enqueued.isNew()
                            ? "enqueued a job of '%s'".formatted(kind)
                            : "no job is enqueued: this one has the key '%s' and is alive".formatted(key));
            new JobKindReport(db).obstacles(kind).forEach(why -> output.say("it will not start now: " + why));
            Answer answer = new Answer(enqueued.id().toString(), enqueued.isNew());
            output.answer(answer, () -> output.print(answer.jobId()));
            return 0;
        });
    }

    private static Enqueued enqueue(Database db, NewJob wanted) {
        try {
            return new Jobs(db).enqueue(wanted, new OperatorAct(OperatorAccess.actor(), "added"));
        } catch (OneRoofException e) {
            throw new OneRoofException(e.code(), asTyped(e), e);
        }
    }

    /** Names the option instead of the first job of a list: there is only one. */
    private static String asTyped(OneRoofException refused) {
        String message = refused.message()
                .replaceFirst("^job 1: kind ", "KIND: ")
                .replaceFirst("^job 1: the payload ", "--payload: the payload ");
        // Everything else that it names is made here.
        return refused.code() == ErrorCode.NOT_FOUND ? message + "; see 'oneroof job kinds'" : message;
    }
}
