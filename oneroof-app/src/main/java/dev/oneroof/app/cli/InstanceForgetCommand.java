package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.operator.OperatorAct;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "forget",
        description = "Has an instance forgotten that went without a word and will not come back under its name.",
        footer = {"", "By itself that happens after queue.instance.forget_seconds, once others hold all it held."})
final class InstanceForgetCommand implements Callable<Integer> {
    record Answer(String instance, boolean forgotten) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "INSTANCE", description = "Its name; 'oneroof instance list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
        return OperatorAccess.inDatabase(options, db -> {
            new Instances(db).forget(name, by);
            Console.say("%s is forgotten".formatted(name));
            if (json) {
                Console.printJson(new Answer(name, true));
            }
            return 0;
        });
    }
}
