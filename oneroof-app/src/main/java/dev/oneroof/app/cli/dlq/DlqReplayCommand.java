package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.app.cli.NumberText;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.ShutdownHook;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobDeadLetterId;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.LetterGroup;
import dev.oneroof.core.job.ReplayRun;
import dev.oneroof.core.job.ReplayRunId;
import dev.oneroof.core.tail.DeadLetters;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "replay",
        description = "Replay dead letters: they are tried again from the first attempt.",
        footer = {
            "",
            "Jobs must be triaged as manual_replay; each becomes a new job. A group is replayed in batches",
            "until it is done or Ctrl-C; --resume continues it. Exit code 7: some of the group were skipped."
        })
final class DlqReplayCommand implements Callable<Integer> {
    private static final double USUAL_RATE = 10;

    record Answer(long replayed, List<Fresh> jobs) {}

    record Fresh(String deadLetterId, String jobId) {}

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
                converter = DlqIdConverters.Any.class,
                description = "The dead letters, all of rows or all of jobs; if one is refused, none is replayed.")
        private List<DlqId> ids = List.of();

        @Option(names = "--source", paramLabel = "NAME", description = "All dead letters of this source.")
        private @Nullable String source;

        @Option(
                names = "--group",
                paramLabel = "KIND/FINGERPRINT",
                converter = DlqIdConverters.Group.class,
                description = "All dead letters of this group.")
        private @Nullable LetterGroup group;

        @Option(
                names = "--resume",
                paramLabel = "RUN",
                converter = DlqIdConverters.Run.class,
                description = "Continue the replay of a group.")
        private @Nullable ReplayRunId resume;

        @Option(
                names = "--cancel",
                paramLabel = "RUN",
                converter = DlqIdConverters.Run.class,
                description = "Cancel the replay of a group; what it has replayed stays replayed.")
        private @Nullable ReplayRunId cancel;
    }

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "For rows and --cancel: the reason; recorded with the act.")
    private @Nullable String reason;

    @Option(
            names = "--authorization",
            paramLabel = "TEXT",
            description = "For jobs: who or what allows it, such as a ticket; recorded with each dead letter.")
    private @Nullable String authorization;

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = NumberConverters.Rate.class,
            description = "For a group: dead letters per second (default 10).")
    private @Nullable Double rate;

    @Option(names = "--dry-run", description = "For a group: show what would be replayed; change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation, as it does for a source or a group.")
    private boolean yes;

    @Override
    public Integer call() {
        if (which.group != null) {
            demand(
                    "--group",
                    dryRun ? Set.of() : Set.of("--authorization"),
                    Set.of("--authorization", "--rate", "--dry-run"));
            return replayGroup(which.group);
        }
        if (which.resume != null) {
            demand("--resume", Set.of(), Set.of());
            return resume(which.resume);
        }
        if (which.cancel != null) {
            demand("--cancel", Set.of("--reason"), Set.of("--reason"));
            return cancel(which.cancel, act(reason));
        }
        if (which.source != null) {
            demand("--source", Set.of("--reason"), Set.of("--reason"));
            return replaySource(which.source, act(reason));
        }
        List<Long> rows = rows();
        if (rows.isEmpty()) {
            demand("a job's dead letter", Set.of("--authorization"), Set.of("--authorization"));
            return OperatorAccess.inDatabase(options, this::replayJobs);
        }
        demand("a row's dead letter", Set.of("--reason"), Set.of("--reason"));
        if (rows.size() < which.ids.size()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "rows (numbers) and jobs (uuids) cannot be replayed by one command");
        }
        return OperatorAccess.inDatabase(options, db -> {
            new DeadLetters(db).replay(rows, act(reason));
            return report(new Answer(rows.stream().distinct().count(), List.of()));
        });
    }

    private void demand(String what, Set<String> needed, Set<String> allowed) {
        Set<String> given = new TreeSet<>();
        addIf(given, reason != null, "--reason");
        addIf(given, authorization != null, "--authorization");
        addIf(given, rate != null, "--rate");
        addIf(given, dryRun, "--dry-run");
        needed.stream().filter(option -> !given.contains(option)).findFirst().ifPresent(option -> {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "%s is missing: %s needs it".formatted(option, what));
        });
        given.stream().filter(option -> !allowed.contains(option)).findFirst().ifPresent(option -> {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "%s is not allowed with %s".formatted(option, what));
        });
    }

    private static void addIf(Set<String> given, boolean isGiven, String option) {
        if (isGiven) {
            given.add(option);
        }
    }

    private List<Long> rows() {
        return which.ids.stream()
                .filter(DlqId.Row.class::isInstance)
                .map(id -> ((DlqId.Row) id).number())
                .toList();
    }

    private int replaySource(String source, OperatorAct by) {
        return OperatorAccess.inDatabase(options, db -> {
            if (!yes) {
                Confirmation.atTheTerminal(output.console())
                        .demand("replay all dead letters of '%s'?".formatted(source));
            }
            return report(new Answer(new DeadLetters(db).replayAll(source, by), List.of()));
        });
    }

    private int replayJobs(Database db) {
        List<JobDeadLetterId> ids = which.ids.stream()
                .filter(DlqId.Job.class::isInstance)
                .map(id -> new JobDeadLetterId(((DlqId.Job) id).value()))
                .toList();
        List<Fresh> fresh = new JobDeadLetters(db)
                .replay(ids, act(authorization)).entrySet().stream()
                        .map(replayed -> new Fresh(
                                replayed.getKey().toString(),
                                replayed.getValue().toString()))
                        .toList();
        return report(new Answer(fresh.size(), fresh));
    }

    private int report(Answer answer) {
        output.say("to be tried again: %d".formatted(answer.replayed()));
        answer.jobs().forEach(fresh -> output.say("  %s as job %s".formatted(fresh.deadLetterId(), fresh.jobId())));
        output.printIfJson(answer);
        return 0;
    }

    private int replayGroup(LetterGroup group) {
        double perSecond = rate == null ? USUAL_RATE : rate;
        if (dryRun) {
            return OperatorAccess.inDatabase(
                    options, db -> new GroupReplay(new JobDeadLetters(db), output).preview(group, perSecond));
        }
        OperatorAct by = act(authorization);
        // Asks before the shutdown hook is set: until there is an answer, Ctrl-C has nothing to stop cleanly.
        OperatorAccess.inDatabase(options, db -> {
            new GroupReplay(new JobDeadLetters(db), output).describe(group, perSecond);
            return 0;
        });
        if (!yes) {
            Confirmation.atTheTerminal(output.console())
                    .demand("replay '%s' at %s letters a second?".formatted(group, NumberText.of(perSecond)));
        }
        return run(letters -> letters.startReplay(group, perSecond, by));
    }

    private int resume(ReplayRunId id) {
        return run(letters -> {
            ReplayRun run = letters.run(id);
            if (!run.isRunning()) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT,
                        "replay run: '%s' is %s already"
                                .formatted(id, run.state().sql()));
            }
            return run;
        });
    }

    private int run(Function<JobDeadLetters, ReplayRun> start) {
        try (ShutdownHook shutdown = new ShutdownHook(output.console())) {
            return OperatorAccess.inDatabase(options, db -> {
                JobDeadLetters letters = new JobDeadLetters(db);
                return new GroupReplay(letters, output).run(start.apply(letters), shutdown.waiting());
            });
        }
    }

    private int cancel(ReplayRunId id, OperatorAct by) {
        return OperatorAccess.inDatabase(options, db -> {
            ReplayRun run = new JobDeadLetters(db).cancelReplay(id, by);
            output.report(
                    "run %s is cancelled: %,d of %,d were replayed".formatted(id, run.replayed(), run.letters()),
                    GroupReplay.Answer.of(run));
            return 0;
        });
    }

    private static OperatorAct act(@Nullable String why) {
        return new OperatorAct(OperatorAccess.actor(), why == null ? "" : why);
    }
}
