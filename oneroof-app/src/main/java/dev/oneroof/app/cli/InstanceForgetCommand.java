package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "forget",
        description = "Remove an instance that is gone and will not return under its name.",
        footer = {"", "By itself that happens after queue.instance.forget_seconds, once others hold all it held."})
final class InstanceForgetCommand implements Callable<Integer> {
    record Answer(String instance, boolean forgotten) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "INSTANCE", description = "Its name; 'oneroof instance list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Instances(db).forget(name, by);
            return new Act.Done("%s is forgotten".formatted(name), new Answer(name, true));
        });
    }
}
