package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.tail.DeadLetters;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show a dead letter of a row or a job, with its key or payload and its error.")
final class DlqShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(
            paramLabel = "ID",
            converter = DlqIdConverters.Any.class,
            description = "The number of a row's dead letter; the uuid of a job's dead letter, or of the job.")
    @SuppressWarnings("NullAway.Init")
    private DlqId id;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            switch (id) {
                case DlqId.Row row -> {
                    DlqAnswer letter = DlqAnswer.of(new DeadLetters(db).show(row.number()));
                    output.answer(letter, () -> print(letter));
                }
                case DlqId.Job job -> {
                    DlqJobAnswer letter = DlqJobAnswer.of(new JobDeadLetters(db).show(job.value()));
                    output.answer(letter, () -> print(letter));
                }
            }
            return 0;
        });
    }

    private void print(DlqAnswer letter) {
        print("id", Long.toString(letter.id()));
        print("cursor", letter.cursor());
        print("table", letter.table());
        print("key", letter.key());
        print("tries", Integer.toString(letter.attempts()));
        print("state", letter.sqlState());
        print("error", letter.error());
        print("fingerprint", letter.fingerprint());
        print("since", letter.since());
        print("triage", letter.triage());
    }

    private void print(DlqJobAnswer letter) {
        print("id", letter.id());
        print("job", letter.jobId());
        print("kind", "%s, domain %s".formatted(letter.kind(), letter.domain()));
        print("tries", "%d of %d".formatted(letter.attempts(), letter.maxAttempts()));
        print("error", letter.errorClass() + ": " + letter.error());
        print("fingerprint", letter.fingerprint());
        print("failed", letter.failedAt());
        print("enqueued", "%s, priority %d".formatted(letter.enqueuedAt(), letter.priority()));
        print("key", letter.key());
        print("run", letter.run());
        print("payload", letter.payload());
        print("triage", letter.triage());
        if (letter.triagedBy() != null) {
            print("triaged", "%s by %s".formatted(letter.triagedAt(), letter.triagedBy()));
            print("note", letter.note());
        }
        if (letter.replayedAs() != null) {
            print("replayed as", letter.replayedAs());
            print("allowed by", letter.authorization());
            print("replay run", letter.replayRun());
        }
    }

    private void print(String what, @Nullable String value) {
        output.print("%-12s %s".formatted(what, value == null ? "-" : value));
    }
}
