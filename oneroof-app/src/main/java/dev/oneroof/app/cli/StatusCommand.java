package dev.oneroof.app.cli;

import dev.oneroof.app.doctor.JobLines;
import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.text.Counted;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "status",
        description =
                "Show in one line what is wrong and since when, then every worker and instance. Exit code 3: one is dead,"
                        + " silent or stuck.")
final class StatusCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    /** From bad to good. */
    private static final List<String> STATES =
            List.of("dead", "silent", "stuck", "unwatched", "held", "behind", "working", "quiet");

    private static final List<String> BAD = List.of("dead", "silent", "stuck");
    private static final String WELL = "well";
    private static final String NONE = "none";
    private static final String OUTBOX = "event_outbox";

    private static final Columns<Health.Line> COLUMNS = new Columns<Health.Line>()
            .with("EXECUTOR", JobLines::name)
            .with("STATE", line -> String.valueOf(line.state()))
            .with("SINCE", StatusCommand::since)
            .with("LAST BEAT", StatusCommand::lastBeat)
            .with("WHY", line -> String.valueOf(line.reason()));

    /**
     * What is printed.
     *
     * @param verdict the one line
     * @param state the worst state; well where all are working or quiet, none where nothing is registered
     * @param notKnown the sources for which no state can prove that all rows are handled
     */
    record Answer(String verdict, String state, boolean healthy, List<Health.Line> lines, List<NotKnown> notKnown) {}

    record NotKnown(String source, String what) {}

    private record Seen(List<Health.Line> lines, List<TailSource> sources, List<NotKnown> notKnown) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        Seen seen = OperatorAccess.inDatabase(options, StatusCommand::look);
        List<Health.Line> lines = seen.lines();
        boolean healthy = executors(lines).stream().noneMatch(line -> BAD.contains(line.state()));
        Answer answer =
                new Answer(verdict(seen) + unseen(seen.notKnown()), state(lines), healthy, lines, seen.notKnown());
        output.answer(answer, () -> print(answer));
        return healthy ? 0 : UNHEALTHY;
    }

    private static Seen look(Database db) {
        Sources sources = new Sources(db);
        List<NotKnown> notKnown = sources.notKnown().entrySet().stream()
                .map(one -> new NotKnown(one.getKey(), one.getValue()))
                .toList();
        return new Seen(new Health(db).lines(), sources.list(), notKnown);
    }

    private static List<Health.Line> executors(List<Health.Line> lines) {
        return lines.stream()
                .filter(line ->
                        line.source().equals("heartbeat") || JobLines.isWaitingKind(line) || JobLines.isUnfired(line))
                // A process first: its workers depend on it.
                .sorted(Comparator.comparingInt((Health.Line line) -> STATES.indexOf(String.valueOf(line.state())))
                        .thenComparing(line -> !line.subject().startsWith("instance/")))
                .toList();
    }

    /** Cursors without a registered worker. After a manual run that is normal, so it is shown and not counted as a fault. */
    private static List<Health.Line> unattended(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().equals("cursor") && line.executorName() == null)
                .toList();
    }

    private static long deadLetters(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().startsWith("dead_letter"))
                .map(Health.Line::count)
                .filter(count -> count != null)
                .mapToLong(Long::longValue)
                .sum();
    }

    /** The worst in a word. */
    private static String state(List<Health.Line> lines) {
        List<Health.Line> executors = executors(lines);
        if (executors.isEmpty()) {
            return NONE;
        }
        String worst = String.valueOf(executors.getFirst().state());
        return worst.equals("working") || worst.equals("quiet") ? WELL : worst;
    }

    /** The worst first, with the one that has been so the longest. */
    private static String verdict(Seen seen) {
        List<Health.Line> lines = seen.lines();
        String worst = state(lines);
        if (worst.equals(NONE)) {
            String beside = beside(lines);
            return beside.isEmpty() ? nothingRunsYet(seen.sources()) : "nothing is registered" + beside;
        }
        List<Health.Line> executors = executors(lines);
        if (worst.equals(WELL)) {
            return "%s: %s%s"
                    .formatted(
                            seen.notKnown().isEmpty() ? "all is well" : "no fault is known",
                            Counted.of(executors.size(), "executor"),
                            beside(lines));
        }
        List<Health.Line> such = executors.stream()
                .filter(line -> worst.equals(line.state()))
                .sorted(Comparator.comparing(
                                (Health.Line line) -> !line.subject().startsWith("instance/"))
                        .thenComparing(Comparator.comparingLong(StatusCommand::sinceSeconds)
                                .reversed()))
                .toList();
        Health.Line first = such.getFirst();
        return "%d of %d %s, since %s: %s, %s%s"
                .formatted(
                        such.size(),
                        executors.size(),
                        worst,
                        since(first),
                        JobLines.name(first),
                        Console.inLine(String.valueOf(first.reason())),
                        beside(lines));
    }

    /** What to do next. */
    private static String nothingRunsYet(List<TailSource> sources) {
        List<String> yours = sources.stream()
                .map(TailSource::name)
                .filter(name -> !name.equals(OUTBOX))
                .toList();
        return yours.isEmpty()
                ? "nothing is registered: no worker has ever run here; 'oneroof source add' registers a table, 'oneroof demo' runs an example"
                : "no worker has ever run here; %s registered (%s); your program must run a worker to read %s: see README.md, From Java"
                        .formatted(
                                Counted.of(yours.size(), "source") + (yours.size() == 1 ? " is" : " are"),
                                Columns.brief(String.join(", ", yours)),
                                yours.size() == 1 ? "it" : "them");
    }

    /** What is not the state of an executor: dead letters and cursors without a worker. */
    private static String beside(List<Health.Line> lines) {
        long dead = deadLetters(lines);
        int alone = unattended(lines).size();
        return (dead == 0 ? "" : "; %s %s".formatted(Counted.of(dead, "dead letter"), dead == 1 ? "waits" : "wait"))
                + (alone == 0
                        ? ""
                        : "; %s %s no worker".formatted(Counted.of(alone, "cursor"), alone == 1 ? "has" : "have"));
    }

    /** Sources that may have unseen rows, with or without a worker. */
    private static String unseen(List<NotKnown> notKnown) {
        return notKnown.isEmpty()
                ? ""
                : "; %s may have rows that no worker has seen (%s)"
                        .formatted(
                                Counted.of(notKnown.size(), "source"),
                                Columns.brief(
                                        notKnown.stream().map(NotKnown::source).collect(Collectors.joining(", "))));
    }

    private static long sinceSeconds(Health.Line line) {
        Long since = sinceOrNull(line);
        return since == null ? 0 : since;
    }

    private static String since(Health.Line line) {
        Long since = sinceOrNull(line);
        return since == null ? "-" : AgeText.text(since);
    }

    /** For a kind whose gate is closed: since its first job was due. */
    private static @Nullable Long sinceOrNull(Health.Line line) {
        return line.sinceSeconds() == null && JobLines.isWaitingKind(line) ? line.ageSeconds() : line.sinceSeconds();
    }

    /** Kinds and schedules have no beat. */
    private static @Nullable Object lastBeat(Health.Line line) {
        if (JobLines.isWaitingKind(line) || JobLines.isUnfired(line)) {
            return null;
        }
        return line.ageSeconds() == null ? "never" : AgeText.ago(line.ageSeconds());
    }

    private void print(Answer answer) {
        output.print(answer.verdict());
        if (answer.lines().isEmpty()) {
            return;
        }
        output.print("");
        output.print(
                Stream.concat(executors(answer.lines()).stream(), unattended(answer.lines()).stream())
                        .toList(),
                COLUMNS);
    }
}
