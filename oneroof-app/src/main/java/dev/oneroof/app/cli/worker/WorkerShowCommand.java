package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.AgeText;
import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show one worker: its state and reason, its lease and its history.")
final class WorkerShowCommand implements Callable<Integer> {
    private static final Columns<Executor.Transition> TRANSITIONS = new Columns<Executor.Transition>()
            .with("AT", Executor.Transition::at)
            .with("AGO", one -> AgeText.text(one.ageSeconds()))
            .with("WHAT", WorkerShowCommand::describe)
            .with("BY", Executor.Transition::actor);

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "WORKER/SOURCE, or the name of any other executor.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        Executor.History history = OperatorAccess.inDatabase(options, db -> new Executors(db).show(name));
        output.answer(history, () -> print(history));
        return 0;
    }

    private void print(Executor.History history) {
        Executor worker = history.executor();
        output.print("worker        %s".formatted(worker.name()));
        output.print("kind          %s".formatted(worker.kind()));
        output.print("state         %s: %s".formatted(worker.state(), worker.reason()));
        output.print("last beat     %s (%s)".formatted(AgeText.ago(worker.ageSeconds()), worker.lastTickAt()));
        output.print("beats         %d, one every %d s; silent after %d s"
                .formatted(worker.ticksTotal(), worker.cadenceSeconds(), worker.thresholdSeconds()));
        if (worker.leaseOwner() != null) {
            output.print("held by       %s, epoch %d, until %s"
                    .formatted(worker.leaseOwner(), worker.leaseEpoch(), worker.leaseUntil()));
        }
        if (worker.notKnown() != null && !worker.reason().endsWith(worker.notKnown())) {
            output.print("not known     %s".formatted(worker.notKnown()));
        }
        output.print("registered    by %s".formatted(worker.registeredBy()));
        if (history.transitions().isEmpty()) {
            return;
        }
        output.print("");
        output.print(history.transitions(), TRANSITIONS);
    }

    private static String describe(Executor.Transition one) {
        String gap = one.gapSeconds() == null ? "an unknown time" : AgeText.text(Math.round(one.gapSeconds()));
        return switch (one.transition()) {
            case "registered" -> "was registered";
            case "deregistered" -> "was deregistered";
            case "fresh_to_stale" -> "went silent: no beat for %s (%s)".formatted(gap, one.severity());
            case "escalated" -> "was still silent: no beat for %s (%s)".formatted(gap, one.severity());
            case "stale_to_fresh" ->
                one.gapSeconds() == null
                        ? "no longer silent: its threshold was raised"
                        : "beat again, after %s".formatted(gap);
            case "taken_over" -> "was taken over from an owner that had not released it";
            default -> one.transition();
        };
    }
}
