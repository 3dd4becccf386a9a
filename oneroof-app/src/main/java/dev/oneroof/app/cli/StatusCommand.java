package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.postgres.text.Counted;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "status",
        description =
                "Says in one line what is wrong and since when; then shows every worker and instance. Exits with 3 when"
                        + " one is dead, silent or stuck.")
final class StatusCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    /** From bad to good. */
    private static final List<String> STATES =
            List.of("dead", "silent", "stuck", "unwatched", "held", "behind", "working", "quiet");

    private static final List<String> BAD = List.of("dead", "silent", "stuck");
    private static final String WELL = "well";
    private static final String NONE = "none";

    private static final Columns<Health.Line> COLUMNS = new Columns<Health.Line>()
            .with("EXECUTOR", StatusCommand::name)
            .with("STATE", line -> String.valueOf(line.state()))
            .with("SINCE", StatusCommand::since)
            .with("LAST BEAT", StatusCommand::ago)
            .with("WHY", line -> String.valueOf(line.reason()));

    /**
     * What is printed.
     *
     * @param verdict the one line
     * @param state the same in a word: the worst state there is, well where all work or are quiet, none without anybody
     */
    record Answer(String verdict, String state, boolean healthy, List<Health.Line> lines) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<Health.Line> lines = OperatorAccess.inDatabase(options, db -> new Health(db).lines());
        boolean healthy = executors(lines).stream().noneMatch(line -> BAD.contains(line.state()));
        Answer answer = new Answer(verdict(lines), state(lines), healthy, lines);
        output.answer(answer, () -> print(answer));
        return healthy ? 0 : UNHEALTHY;
    }

    private static List<Health.Line> executors(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().equals("heartbeat") || isWaitingKind(line) || isUnfired(line))
                // A process first: with it go its workers.
                .sorted(Comparator.comparingInt((Health.Line line) -> STATES.indexOf(String.valueOf(line.state())))
                        .thenComparing(line -> !line.subject().startsWith("instance/")))
                .toList();
    }

    /** A kind of jobs that are due, and wait for longer than they should or are kept from their workers. */
    private static boolean isWaitingKind(Health.Line line) {
        return line.source().equals("backlog_job_queue")
                && line.count() != null
                && line.count() > 0
                && ("behind".equals(line.state()) || "held".equals(line.state()));
    }

    /** A schedule that cannot be fired, or that nobody fires. One that somebody has paused is as they want it. */
    private static boolean isUnfired(Health.Line line) {
        return line.source().equals("schedule") && !"held".equals(line.state());
    }

    private static String name(Health.Line line) {
        return switch (line.source()) {
            case "backlog_job_queue" -> "kind " + line.subject();
            case "schedule" -> "schedule " + line.subject();
            default -> line.subject();
        };
    }

    /** Cursors for which nobody is registered: after a run by hand that is as it should be, so it is told and no more. */
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
    private static String verdict(List<Health.Line> lines) {
        String worst = state(lines);
        if (worst.equals(NONE)) {
            String beside = beside(lines);
            return "nothing is registered" + (beside.isEmpty() ? ": no worker has ever run here" : beside);
        }
        List<Health.Line> executors = executors(lines);
        if (worst.equals(WELL)) {
            return "all is well: %s%s".formatted(Counted.of(executors.size(), "executor"), beside(lines));
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
                        name(first),
                        Console.inLine(String.valueOf(first.reason())),
                        beside(lines));
    }

    /** What is no executor's state, and yet to be told. */
    private static String beside(List<Health.Line> lines) {
        long dead = deadLetters(lines);
        int alone = unattended(lines).size();
        return (dead == 0 ? "" : "; %s %s".formatted(Counted.of(dead, "dead letter"), dead == 1 ? "waits" : "wait"))
                + (alone == 0
                        ? ""
                        : "; %s %s no worker".formatted(Counted.of(alone, "cursor"), alone == 1 ? "has" : "have"));
    }

    private static long sinceSeconds(Health.Line line) {
        return line.sinceSeconds() == null ? 0 : line.sinceSeconds();
    }

    private static String since(Health.Line line) {
        return line.sinceSeconds() == null ? "-" : Ages.text(line.sinceSeconds());
    }

    private static String ago(Health.Line line) {
        return line.ageSeconds() == null ? "never" : Ages.ago(line.ageSeconds());
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
