package dev.oneroof.app.cli.dlq;

import dev.oneroof.app.cli.AgeText;
import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.NumberText;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.Progress;
import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.LetterGroup;
import dev.oneroof.core.job.LetterGroupReport;
import dev.oneroof.core.job.ReplayRun;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Replays a group of dead letters in batches. Whatever stops it, the run can be resumed. */
final class GroupReplay {
    private static final int PARTLY_DONE = 7;

    /** Between two batches. At a high rate a batch then has some hundreds of dead letters. */
    private static final Duration SHORTEST_REST = Duration.ofMillis(200);

    private final JobDeadLetters letters;
    private final Output output;

    GroupReplay(JobDeadLetters letters, Output output) {
        this.letters = letters;
        this.output = output;
    }

    record Preview(
            String kind,
            String fingerprint,
            long letters,
            long notTriagedForIt,
            double rate,
            @Nullable String replayRun,
            boolean replayed) {}

    record Answer(String replayRun, String state, long letters, long replayed, long left) {
        static Answer of(ReplayRun run) {
            return new Answer(run.id().toString(), run.state().sql(), run.letters(), run.replayed(), run.left());
        }
    }

    /** Prints what a replay would do. */
    Preview describe(LetterGroup group, double rate) {
        LetterGroupReport found = letters.group(group);
        LetterGroupReport.Counts counts = found.counts();
        output.say("to be replayed: %,d of %,d open %s of %s, at %s a second in about %s"
                .formatted(
                        counts.manualReplay(),
                        counts.open(),
                        Counted.noun(counts.open(), "dead letter"),
                        group,
                        NumberText.of(rate),
                        AgeText.text((long) Math.ceil(counts.manualReplay() / rate))));
        output.say("  the last error: %s".formatted(Columns.brief(found.errorClass() + ": " + found.sample())));
        if (found.replayRun() != null) {
            output.say("  run %s is already replaying them".formatted(found.replayRun()));
        }
        return new Preview(
                group.kind(),
                group.fingerprint(),
                counts.manualReplay(),
                counts.open() - counts.manualReplay(),
                rate,
                found.replayRun() == null ? null : found.replayRun().toString(),
                false);
    }

    int preview(LetterGroup group, double rate) {
        output.report("nothing was changed (--dry-run)", describe(group, rate));
        return 0;
    }

    int run(ReplayRun started, Waiting waiting) {
        output.say(
                "run %s: %,d %s".formatted(started.id(), started.letters(), Counted.noun(started.letters(), "letter")));
        ReplayRun run = batchAfterBatch(started, waiting);
        output.printIfJson(Answer.of(run));
        return switch (run.state()) {
            case RUNNING -> {
                sayHowToResume(run);
                yield ErrorCode.INTERRUPTED.exitCode();
            }
            case CANCELLED -> {
                output.say("run %s was cancelled: %,d were replayed".formatted(run.id(), run.replayed()));
                yield PARTLY_DONE;
            }
            case DONE -> {
                output.say("replayed: %,d".formatted(run.replayed()));
                if (run.left() == 0) {
                    yield 0;
                }
                output.say(
                        "skipped: %,d, triaged otherwise or closed since the start, or the payload is no longer allowed"
                                .formatted(run.left()));
                yield PARTLY_DONE;
            }
        };
    }

    private ReplayRun batchAfterBatch(ReplayRun started, Waiting waiting) {
        ReplayRun run = started;
        try (Progress progress = new Progress(output.console())) {
            progress.step("replaying");
            do {
                run = letters.replayNext(run.id(), OperatorAccess.actor());
                progress.at(run.replayed(), run.letters());
            } while (run.isRunning() && waiting.pause(rest(run)));
            return run;
        } catch (RuntimeException e) {
            sayHowToResume(run);
            throw e;
        }
    }

    private static Duration rest(ReplayRun run) {
        Duration next = run.untilNext();
        return next.isZero() || next.compareTo(SHORTEST_REST) > 0 ? next : SHORTEST_REST;
    }

    private void sayHowToResume(ReplayRun run) {
        output.say("replayed %,d of %,d so far; continue with 'oneroof dlq replay --resume %s'"
                .formatted(run.replayed(), run.letters(), run.id()));
    }
}
