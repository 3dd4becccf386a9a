package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.Progress;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobDeadLetterId;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.LetterGroup;
import dev.oneroof.core.job.LetterGroupReport;
import dev.oneroof.core.job.Triage;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.Counted;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options for the triage of dead letters of jobs. */
final class TriageOptions {
    /** @param triaged how many were changed, or would be */
    record Answer(String triage, long triaged, boolean changed) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @ArgGroup(multiplicity = "1", exclusive = true)
    @SuppressWarnings("NullAway.Init")
    private Which which;

    static final class Which {
        @Parameters(
                paramLabel = "ID",
                arity = "1..*",
                converter = DlqIdConverters.OfJob.class,
                description = "The dead letters; if one is refused, none is changed.")
        private List<JobDeadLetterId> ids = List.of();

        @Option(
                names = "--group",
                paramLabel = "KIND/FINGERPRINT",
                converter = DlqIdConverters.Group.class,
                description = "All open dead letters of this group.")
        private @Nullable LetterGroup group;
    }

    @Option(
            names = "--note",
            required = true,
            paramLabel = "TEXT",
            description = "The reason; recorded with each dead letter.")
    @SuppressWarnings("NullAway.Init")
    private String note;

    @Option(names = "--dry-run", description = "With --group: show how many; change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation, as it does for a group.")
    private boolean yes;

    int triage(Triage to) {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), note);
        if (dryRun && which.group == null) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "--dry-run is only allowed with --group");
        }
        return OperatorAccess.inDatabase(options, db -> {
            Answer answer = which.group == null ? triageThese(db, to, by) : triageGroup(db, which.group, to, by);
            output.report(
                    answer.changed()
                            ? "%s: %d".formatted(answer.triage(), answer.triaged())
                            : "nothing was changed (--dry-run)",
                    answer);
            return 0;
        });
    }

    private Answer triageThese(Database db, Triage to, OperatorAct by) {
        new JobDeadLetters(db).triage(which.ids, to, by);
        return new Answer(to.sql(), which.ids.stream().distinct().count(), true);
    }

    private Answer triageGroup(Database db, LetterGroup group, Triage to, OperatorAct by) {
        JobDeadLetters letters = new JobDeadLetters(db);
        LetterGroupReport.Counts counts = letters.group(group).counts();
        long already = switch (to) {
            case INVESTIGATING -> counts.investigating();
            case MANUAL_REPLAY -> counts.manualReplay();
            case NEW, CLOSED -> 0;
        };
        output.say("to be triaged as %s: %,d of %,d open %s of %s"
                .formatted(
                        to.sql(),
                        counts.open() - already,
                        counts.open(),
                        Counted.noun(counts.open(), "dead letter"),
                        group));
        if (dryRun) {
            return new Answer(to.sql(), counts.open() - already, false);
        }
        if (!yes) {
            Confirmation.atTheTerminal(output.console()).demand("triage '%s' as %s?".formatted(group, to.sql()));
        }
        try (Progress progress = new Progress(output.console())) {
            progress.step("triaging");
            long triaged = letters.triageGroup(group, to, by, done -> progress.at(done, counts.open() - already));
            return new Answer(to.sql(), triaged, true);
        }
    }
}
