package dev.oneroof.app.cli;

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
        description =
                "Enqueues a job of a kind that is registered, and prints its id. Says so when nobody would begin it.")
final class JobEnqueueCommand implements Callable<Integer> {
    record Answer(String jobId, boolean created) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final JobOptions job = new JobOptions();

    @Parameters(paramLabel = "KIND", description = "Its kind; 'oneroof job kinds' has them.")
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
        NewJob wanted = new NewJob(kind, job.payload(), key, job.priority(), null, in, job.maxAttempts(), null);
        return OperatorAccess.inDatabase(options, db -> {
            Enqueued enqueued = enqueue(db, wanted);
            output.say(
                    enqueued.isNew()
                            ? "enqueued a job of '%s'".formatted(kind)
                            : "none is enqueued: this one bears the key '%s' and is alive".formatted(key));
            new JobKindReport(db).obstacles(kind).forEach(why -> output.say("nobody would begin it now: " + why));
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

    /** There is one job, and what is wrong with it was typed somewhere. */
    private static String asTyped(OneRoofException refused) {
        String message = refused.message()
                .replaceFirst("^job 1: kind ", "KIND: ")
                .replaceFirst("^job 1: the payload ", "--payload: the payload ");
        // All else that it names is made here.
        return refused.code() == ErrorCode.NOT_FOUND ? message + "; 'oneroof job kinds' has those that are" : message;
    }
}
