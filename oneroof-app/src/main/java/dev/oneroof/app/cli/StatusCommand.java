package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.operator.StatusReport;
import dev.oneroof.core.operator.StatusView;
import java.util.List;
import java.util.concurrent.Callable;
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

    private static final Columns<Health.Line> COLUMNS = new Columns<Health.Line>()
            .with("EXECUTOR", StatusReport::name)
            .with("STATE", line -> String.valueOf(line.state()))
            .with("SINCE", StatusCommand::since)
            .with("LAST BEAT", StatusCommand::lastBeat)
            .with("WHY", line -> String.valueOf(line.reason()));

    /** What is printed as JSON. */
    record Answer(
            String verdict,
            String state,
            boolean healthy,
            List<Health.Line> lines,
            List<StatusView.NotKnown> notKnown) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        StatusView view = OperatorAccess.inDatabase(options, db -> new StatusReport(db).view());
        String verdict = view.verdict() + next(view);
        Answer answer = new Answer(verdict, view.state(), view.healthy(), view.lines(), view.notKnown());
        output.answer(answer, () -> print(verdict, view));
        return view.healthy() ? 0 : UNHEALTHY;
    }

    /** What to do where nothing runs yet. */
    private static String next(StatusView view) {
        if (!view.state().equals(StatusReport.NONE) || !view.lines().isEmpty()) {
            return "";
        }
        return view.verdict().contains("registered (")
                ? "; 'oneroof worker add' adds a worker, 'oneroof up' runs it"
                : "; 'oneroof source add' registers a table, 'oneroof demo' runs an example";
    }

    private static String since(Health.Line line) {
        Long since = StatusReport.sinceSeconds(line);
        return since == null ? "-" : AgeText.text(since);
    }

    /** Kinds and schedules have no beat. */
    private static @Nullable Object lastBeat(Health.Line line) {
        if (StatusReport.isWaitingKind(line) || StatusReport.isUnfired(line)) {
            return null;
        }
        return line.ageSeconds() == null ? "never" : AgeText.ago(line.ageSeconds());
    }

    private void print(String verdict, StatusView view) {
        output.print(verdict);
        if (view.lines().isEmpty()) {
            return;
        }
        output.print("");
        output.print(
                Stream.concat(view.executors().stream(), view.unattended().stream())
                        .toList(),
                COLUMNS);
    }
}
