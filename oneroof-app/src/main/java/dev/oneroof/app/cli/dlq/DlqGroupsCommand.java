package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.Page;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.LetterGroupReport;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "groups",
        description = "Count the open dead letters of jobs by kind and error fingerprint, largest group first.")
final class DlqGroupsCommand implements Callable<Integer> {
    private static final Columns<Group> COLUMNS = new Columns<Group>()
            .with("GROUP", group -> group.kind() + "/" + group.fingerprint())
            .with("OPEN", Group::open)
            .with("NEW", Group::untriaged)
            .with("INVESTIGATING", Group::investigating)
            .with("MANUAL_REPLAY", Group::manualReplay)
            .with("FIRST", Group::firstFailedAt)
            .with("LAST", Group::lastFailedAt)
            .with("RUN", Group::replayRun)
            .with("ERROR", group -> Columns.brief(group.errorClass() + ": " + group.sample()));

    record Answer(List<Group> groups, boolean more) {}

    record Group(
            String kind,
            String domain,
            String fingerprint,
            String errorClass,
            String sample,
            String sampleId,
            long open,
            long untriaged,
            long investigating,
            long manualReplay,
            String firstFailedAt,
            String lastFailedAt,
            @Nullable String replayRun) {
        static Group of(LetterGroupReport report) {
            return new Group(
                    report.group().kind(),
                    report.domain(),
                    report.group().fingerprint(),
                    report.errorClass(),
                    report.sample(),
                    report.lastLetter().toString(),
                    report.counts().open(),
                    report.counts().untriaged(),
                    report.counts().investigating(),
                    report.counts().manualReplay(),
                    report.firstFailedAt(),
                    report.lastFailedAt(),
                    report.replayRun() == null ? null : report.replayRun().toString());
        }
    }

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--kind", paramLabel = "KIND", description = "Only groups of this kind.")
    private @Nullable String kind;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = NumberConverters.PageSize.class,
            description = "At most N groups (default ${DEFAULT-VALUE}).")
    private long limit;

    @Override
    public Integer call() {
        Page<Group> page = OperatorAccess.inDatabase(
                options,
                db -> Page.of(
                        limit,
                        most -> new JobDeadLetters(db)
                                .groups(kind, most).stream().map(Group::of).toList()));
        output.answer(new Answer(page.rows(), page.more()), () -> print(page));
        return 0;
    }

    private void print(Page<Group> page) {
        output.print(page.rows(), COLUMNS, "no dead letter of a job is open");
        if (page.more()) {
            output.say("there are more; raise --limit to see them");
        }
    }
}
