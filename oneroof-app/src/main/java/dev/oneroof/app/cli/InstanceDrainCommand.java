package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.operator.OperatorAct;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "drain",
        description = "Has an instance finish its batches, give back all it holds and take nothing any more.",
        footer = {"", "It lasts until the process ends, or --undo."})
final class InstanceDrainCommand implements Callable<Integer> {
    record Answer(String instance, boolean drained) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "INSTANCE", description = "Its name; 'oneroof instance list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--undo", description = "Let it take part again.")
    private boolean undo;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
        return OperatorAccess.inDatabase(options, db -> {
            Instances instances = new Instances(db);
            if (undo) {
                instances.undoDrain(name, by);
            } else {
                instances.drain(name, by);
            }
            Console.say("%s %s".formatted(name, undo ? "takes part again" : "gives back all it holds"));
            if (json) {
                Console.printJson(new Answer(name, !undo));
            }
            return 0;
        });
    }
}
