package dev.oneroof.app.cli;

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
        description = "Counts the open dead letters of jobs that failed alike, the largest group first.")
final class DlqGroupsCommand implements Callable<Integer> {
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

    @Option(names = "--kind", paramLabel = "KIND", description = "Of this kind only.")
    private @Nullable String kind;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.PageSize.class,
            description = "At most so many; without it 100.")
    private long limit;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            int wanted = Math.toIntExact(limit);
            List<Group> found = new JobDeadLetters(db)
                    .groups(kind, wanted + 1).stream().map(Group::of).toList();
            report(new Answer(found.subList(0, Math.min(wanted, found.size())), found.size() > wanted));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("GROUP", "OPEN", "NEW", "INVESTIGATING", "MANUAL_REPLAY", "FIRST", "LAST", "RUN", "ERROR"),
                answer.groups().stream()
                        .map(group -> List.of(
                                group.kind() + "/" + group.fingerprint(),
                                Long.toString(group.open()),
                                Long.toString(group.untriaged()),
                                Long.toString(group.investigating()),
                                Long.toString(group.manualReplay()),
                                group.firstFailedAt(),
                                group.lastFailedAt(),
                                group.replayRun() == null ? "-" : group.replayRun(),
                                Columns.brief(group.errorClass() + ": " + group.sample())))
                        .toList());
        if (answer.more()) {
            Console.say("there are more; --limit shows them");
        }
    }
}
