package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Shows one worker: its state and why, who holds it, and what happened to it.")
final class WorkerShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "NAME", description = "WORKER/SOURCE, or the name of any other executor.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Executors(db).show(name));
            return 0;
        });
    }

    private void report(Executor.Story story) {
        if (json) {
            Console.printJson(story);
            return;
        }
        Executor worker = story.executor();
        Console.print("worker        %s".formatted(worker.name()));
        Console.print("kind          %s".formatted(worker.kind()));
        Console.print("state         %s: %s".formatted(worker.state(), worker.reason()));
        Console.print("last beat     %s (%s)".formatted(Ages.ago(worker.ageSeconds()), worker.lastTickAt()));
        Console.print("beats         %d, one every %d s; silent after %d s"
                .formatted(worker.ticksTotal(), worker.cadenceSeconds(), worker.thresholdSeconds()));
        if (worker.leaseOwner() != null) {
            Console.print("held by       %s, epoch %d, until %s"
                    .formatted(worker.leaseOwner(), worker.leaseEpoch(), worker.leaseUntil()));
        }
        Console.print("registered    by %s".formatted(worker.registeredBy()));
        if (story.transitions().isEmpty()) {
            return;
        }
        Console.print("");
        Columns.print(
                List.of("AT", "AGO", "WHAT", "BY"),
                story.transitions().stream()
                        .map(one -> List.of(
                                one.at(),
                                Ages.text(one.ageSeconds()),
                                words(one),
                                one.actor() == null ? "-" : one.actor()))
                        .toList());
    }

    private static String words(Executor.Transition one) {
        String gap = one.gapSeconds() == null ? "a time" : Ages.text(Math.round(one.gapSeconds()));
        return switch (one.transition()) {
            case "registered" -> "was registered";
            case "deregistered" -> "was deregistered";
            case "fresh_to_stale" -> "fell silent: no beat for %s (%s)".formatted(gap, one.severity());
            case "escalated" -> "was still silent: no beat for %s (%s)".formatted(gap, one.severity());
            case "stale_to_fresh" ->
                one.gapSeconds() == null
                        ? "counted as silent no longer: its threshold was raised"
                        : "beat again, after %s".formatted(gap);
            case "taken_over" -> "was taken over from an owner that had not given it back";
            default -> one.transition();
        };
    }
}
