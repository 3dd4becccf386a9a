package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobDeadLetterId;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.Triage;
import dev.oneroof.core.tabletail.DeadLetters;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "list",
        description = "Lists the open dead letters, of rows and of jobs, oldest first.",
        footer = {
            "",
            "Those of rows have numbers, those of jobs have uuids; --after shows the next page of the one sort or the other."
        })
final class DlqListCommand implements Callable<Integer> {
    record Answer(List<DlqAnswer> deadLetters, boolean more, List<DlqJobAnswer> jobDeadLetters, boolean moreJobs) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--source", paramLabel = "NAME", description = "Rows of this source only.")
    private @Nullable String source;

    @Option(names = "--kind", paramLabel = "KIND", description = "Jobs of this kind only.")
    private @Nullable String kind;

    @Option(names = "--fingerprint", paramLabel = "TEXT", description = "Jobs that failed like this only.")
    private @Nullable String fingerprint;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description = "Jobs that were triaged so only: ${COMPLETION-CANDIDATES}; without it all that are open.")
    private @Nullable Triage status;

    @Option(
            names = "--after",
            paramLabel = "ID",
            converter = DlqIds.Any.class,
            description = "Behind this one: the next page.")
    private @Nullable DlqId after;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.PageSize.class,
            description = "At most so many of each sort; without it 100.")
    private long limit;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        boolean ofRows = source != null || after instanceof DlqId.Row;
        boolean ofJobs = kind != null || fingerprint != null || status != null || after instanceof DlqId.Job;
        if (ofRows && ofJobs) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "--source and --after NUMBER are of rows; --kind, --fingerprint, --status and --after UUID of jobs: not both");
        }
        return OperatorAccess.inDatabase(options, db -> {
            int wanted = Math.toIntExact(limit);
            List<DlqAnswer> rows = ofJobs ? List.of() : rows(db, wanted + 1);
            List<DlqJobAnswer> jobs = ofRows ? List.of() : jobs(db, wanted + 1);
            Answer answer = new Answer(
                    rows.subList(0, Math.min(wanted, rows.size())),
                    rows.size() > wanted,
                    jobs.subList(0, Math.min(wanted, jobs.size())),
                    jobs.size() > wanted);
            if (json) {
                Console.printJson(answer);
            } else {
                print(answer, !ofJobs, !ofRows);
            }
            return 0;
        });
    }

    private List<DlqAnswer> rows(Database db, int most) {
        long behind = after instanceof DlqId.Row row ? row.number() : 0;
        return new DeadLetters(db)
                .list(source, behind, most).stream().map(DlqAnswer::of).toList();
    }

    private List<DlqJobAnswer> jobs(Database db, int most) {
        JobDeadLetterId behind = after instanceof DlqId.Job job ? new JobDeadLetterId(job.value()) : null;
        return new JobDeadLetters(db)
                .list(kind, fingerprint, status, behind, most).stream()
                        .map(DlqJobAnswer::of)
                        .toList();
    }

    private static void print(Answer answer, boolean ofRows, boolean ofJobs) {
        if (ofRows) {
            printRows(answer);
        }
        if (ofRows && ofJobs) {
            Console.print("");
        }
        if (ofJobs) {
            printJobs(answer);
        }
    }

    private static void printRows(Answer answer) {
        Columns.print(
                List.of("ROW", "CURSOR", "KEY", "TRIES", "STATE", "ERROR"),
                answer.deadLetters().stream()
                        .map(letter -> List.of(
                                Long.toString(letter.id()),
                                letter.cursor(),
                                letter.key(),
                                Integer.toString(letter.attempts()),
                                letter.sqlState() == null ? "-" : letter.sqlState(),
                                letter.error() == null ? "-" : letter.error()))
                        .toList());
        if (answer.more()) {
            Console.say("there are more rows; --after %d shows them"
                    .formatted(answer.deadLetters().getLast().id()));
        }
    }

    private static void printJobs(Answer answer) {
        Columns.print(
                List.of("JOB LETTER", "GROUP", "TRIES", "TRIAGE", "FAILED", "ERROR"),
                answer.jobDeadLetters().stream()
                        .map(letter -> List.of(
                                letter.id(),
                                letter.kind() + "/" + letter.fingerprint(),
                                "%d of %d".formatted(letter.attempts(), letter.maxAttempts()),
                                letter.triage(),
                                letter.failedAt(),
                                Columns.brief(letter.errorClass() + ": " + letter.error())))
                        .toList());
        if (answer.moreJobs()) {
            Console.say("there are more jobs; --after %s shows them"
                    .formatted(answer.jobDeadLetters().getLast().id()));
        }
    }
}
