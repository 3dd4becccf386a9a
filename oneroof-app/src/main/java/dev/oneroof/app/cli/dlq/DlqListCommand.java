package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.Page;
import dev.oneroof.core.job.JobDeadLetterId;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.Triage;
import dev.oneroof.core.tail.DeadLetters;
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
        description = "List the open dead letters of rows and of jobs, oldest first.",
        footer = {
            "",
            "Dead letters of rows have numbers, those of jobs have uuids; --after shows the next page of either."
        })
final class DlqListCommand implements Callable<Integer> {
    private static final Columns<DlqAnswer> ROWS = new Columns<DlqAnswer>()
            .with("ROW", DlqAnswer::id)
            .with("CURSOR", DlqAnswer::cursor)
            .with("KEY", DlqAnswer::key)
            .with("TRIES", DlqAnswer::attempts)
            .with("STATE", DlqAnswer::sqlState)
            .with("ERROR", DlqAnswer::error);

    private static final Columns<DlqJobAnswer> JOBS = new Columns<DlqJobAnswer>()
            .with("JOB LETTER", DlqJobAnswer::id)
            .with("GROUP", letter -> letter.kind() + "/" + letter.fingerprint())
            .with("TRIES", letter -> "%d of %d".formatted(letter.attempts(), letter.maxAttempts()))
            .with("TRIAGE", DlqJobAnswer::triage)
            .with("FAILED", DlqJobAnswer::failedAt)
            .with("ERROR", letter -> Columns.brief(letter.errorClass() + ": " + letter.error()));

    record Answer(List<DlqAnswer> deadLetters, boolean more, List<DlqJobAnswer> jobDeadLetters, boolean moreJobs) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--source", paramLabel = "NAME", description = "Only rows of this source.")
    private @Nullable String source;

    @Option(names = "--kind", paramLabel = "KIND", description = "Only jobs of this kind.")
    private @Nullable String kind;

    @Option(names = "--fingerprint", paramLabel = "TEXT", description = "Only jobs with this error fingerprint.")
    private @Nullable String fingerprint;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description = "Only jobs with this triage status: ${COMPLETION-CANDIDATES} (default: all open).")
    private @Nullable Triage status;

    @Option(
            names = "--after",
            paramLabel = "ID",
            converter = DlqIdConverters.Any.class,
            description = "Only those after this one: the next page.")
    private @Nullable DlqId after;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = NumberConverters.PageSize.class,
            description = "At most N of rows and N of jobs (default ${DEFAULT-VALUE}).")
    private long limit;

    @Override
    public Integer call() {
        boolean ofRows = source != null || after instanceof DlqId.Row;
        boolean ofJobs = kind != null || fingerprint != null || status != null || after instanceof DlqId.Job;
        if (ofRows && ofJobs) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "--source and --after NUMBER select rows; --kind, --fingerprint, --status and --after UUID select jobs; use only one set");
        }
        return OperatorAccess.inDatabase(options, db -> {
            Page<DlqAnswer> rows = ofJobs ? Page.none() : Page.of(limit, most -> rows(db, most));
            Page<DlqJobAnswer> jobs = ofRows ? Page.none() : Page.of(limit, most -> jobs(db, most));
            output.answer(new Answer(rows.rows(), rows.more(), jobs.rows(), jobs.more()), () -> {
                if (!ofJobs) {
                    printRows(rows);
                }
                if (!rows.rows().isEmpty() && !jobs.rows().isEmpty()) {
                    output.print("");
                }
                if (!ofRows) {
                    printJobs(jobs);
                }
            });
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

    private static String none(String what, boolean anyAtAll) {
        return anyAtAll
                ? "no dead letter of a %s is open".formatted(what)
                : "there is no such dead letter of a %s".formatted(what);
    }

    private void printRows(Page<DlqAnswer> page) {
        output.print(page.rows(), ROWS, none("row", source == null && after == null));
        if (page.more()) {
            output.say("there are more rows; --after %d shows them"
                    .formatted(page.rows().getLast().id()));
        }
    }

    private void printJobs(Page<DlqJobAnswer> page) {
        output.print(
                page.rows(), JOBS, none("job", kind == null && fingerprint == null && status == null && after == null));
        if (page.more()) {
            output.say("there are more jobs; --after %s shows them"
                    .formatted(page.rows().getLast().id()));
        }
    }
}
