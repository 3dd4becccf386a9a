package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
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
    private final Act act = new Act();

    @Parameters(paramLabel = "INSTANCE", description = "Its name; 'oneroof instance list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--undo", description = "Let it take part again.")
    private boolean undo;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Instances instances = new Instances(db);
            if (undo) {
                instances.undoDrain(name, by);
            } else {
                instances.drain(name, by);
            }
            return new Act.Done(
                    "%s %s".formatted(name, undo ? "takes part again" : "gives back all it holds"),
                    new Answer(name, !undo));
        });
    }
}
