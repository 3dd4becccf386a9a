package dev.oneroof.app.cli.instance;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.liveness.Instances;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "drain",
        description = "Drain an instance: it finishes its batches, releases its leases and takes no new work.",
        footer = {"", "The instance stays drained until its process ends, or until --undo."})
final class InstanceDrainCommand implements Callable<Integer> {
    record Answer(String instance, boolean drained) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "INSTANCE", description = "The instance's name; see 'oneroof instance list'.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--undo", description = "End the drain.")
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
            return new ActOptions.Result(
                    "%s %s".formatted(name, undo ? "is no longer drained" : "is draining"), new Answer(name, !undo));
        });
    }
}
