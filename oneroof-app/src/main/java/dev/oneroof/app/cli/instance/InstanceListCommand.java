package dev.oneroof.app.cli.instance;

import dev.oneroof.app.cli.AgeText;
import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.liveness.Instances;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the processes that run workers, and those that stopped without notice.")
final class InstanceListCommand implements Callable<Integer> {
    private static final Columns<Instances.Instance> COLUMNS = new Columns<Instances.Instance>()
            .with("INSTANCE", Instances.Instance::name)
            .with("PID", Instances.Instance::pid)
            .with("STATE", Instances.Instance::state)
            .with("LAST BEAT", one -> AgeText.ago(one.ageSeconds()))
            .with("HOLDS", Instances.Instance::holds)
            .with("WAKE-UPS", Instances.Instance::wakeUps)
            .with("WHY", Instances.Instance::reason);

    record Answer(List<Instances.Instance> instances) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<Instances.Instance> instances = OperatorAccess.inDatabase(options, db -> new Instances(db).list());
        output.list(new Answer(instances), instances, COLUMNS, "no instance is running, and none is missing");
        return 0;
    }
}
