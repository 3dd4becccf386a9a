package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobDeadLetters;
import dev.oneroof.core.job.LetterGroup;
import dev.oneroof.core.job.LetterGroupReport;
import dev.oneroof.core.job.ReplayRun;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.error.ErrorCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Replays a group of dead letters batch after batch. Whatever ends it, the run can be gone on with. */
final class GroupReplay {
    private static final int PARTLY_DONE = 7;

    /** Between two batches: at a high rate there is a batch of some hundreds by then, and the rate saves up a second's. */
    private static final Duration SHORTEST_REST = Duration.ofMillis(200);

    private final JobDeadLetters letters;
    private final Waiting waiting;
    private final boolean json;

    GroupReplay(JobDeadLetters letters, Waiting waiting, boolean json) {
        this.letters = letters;
        this.waiting = waiting;
        this.json = json;
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

    /** Says what a replay would do. */
    static Preview tell(JobDeadLetters letters, LetterGroup group, double rate) {
        LetterGroupReport found = letters.group(group);
        LetterGroupReport.Counts counts = found.counts();
        Console.say("to be replayed: %,d of the %,d open dead letters of %s, at %s a second in about %s"
                .formatted(counts.manualReplay(), counts.open(), group, Numbers.plain(rate), Ages.text((long)
                        Math.ceil(counts.manualReplay() / rate))));
        Console.say("  the last of them: %s".formatted(Columns.brief(found.errorClass() + ": " + found.sample())));
        if (found.replayRun() != null) {
            Console.say("  run %s replays them already".formatted(found.replayRun()));
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

    static int preview(JobDeadLetters letters, LetterGroup group, double rate, boolean json) {
        Preview preview = tell(letters, group, rate);
        Console.say("nothing was changed (--dry-run)");
        if (json) {
            Console.printJson(preview);
        }
        return 0;
    }

    int run(ReplayRun started) {
        Console.say("run %s: %,d letters".formatted(started.id(), started.letters()));
        ReplayRun run = batchAfterBatch(started);
        if (json) {
            Console.printJson(Answer.of(run));
        }
        return switch (run.state()) {
            case RUNNING -> {
                sayHowToGoOn(run);
                yield ErrorCode.INTERRUPTED.exitCode();
            }
            case CANCELLED -> {
                Console.say("run %s was cancelled: %,d were replayed".formatted(run.id(), run.replayed()));
                yield PARTLY_DONE;
            }
            case DONE -> {
                Console.say("replayed: %,d".formatted(run.replayed()));
                if (run.left() == 0) {
                    yield 0;
                }
                Console.say("left out: %,d, triaged otherwise or closed since it began, or no signal any more"
                        .formatted(run.left()));
                yield PARTLY_DONE;
            }
        };
    }

    private ReplayRun batchAfterBatch(ReplayRun started) {
        ReplayRun run = started;
        try (Progress progress = new Progress()) {
            progress.step("replaying");
            do {
                run = letters.replayNext(run.id(), OperatorAccess.actor());
                progress.at(run.replayed(), run.letters());
            } while (run.isRunning() && waiting.pause(rest(run)));
            return run;
        } catch (RuntimeException e) {
            sayHowToGoOn(run);
            throw e;
        }
    }

    private static Duration rest(ReplayRun run) {
        Duration next = run.untilNext();
        return next.isZero() || next.compareTo(SHORTEST_REST) > 0 ? next : SHORTEST_REST;
    }

    private static void sayHowToGoOn(ReplayRun run) {
        Console.say("replayed so far: %,d of %,d; 'oneroof dlq replay --resume %s' goes on"
                .formatted(run.replayed(), run.letters(), run.id()));
    }
}
