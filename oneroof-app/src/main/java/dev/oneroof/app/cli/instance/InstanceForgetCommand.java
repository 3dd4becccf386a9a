package dev.oneroof.app.cli.instance;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.liveness.Instances;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "forget",
        description = "Remove an instance that is gone.",
        footer = {
            "",
            "OneRoof does it by itself after queue.instance.forget_seconds, once other instances hold all its leases."
        })
final class InstanceForgetCommand implements Callable<Integer> {
    record Answer(String instance, boolean forgotten) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "INSTANCE", description = "The instance's name; see 'oneroof instance list'.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Instances(db).forget(name, by);
            return new ActOptions.Result("%s is removed".formatted(name), new Answer(name, true));
        });
    }
}
