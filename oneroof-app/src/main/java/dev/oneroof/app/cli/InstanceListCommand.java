package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the running instances, and those that are gone without deregistering.")
final class InstanceListCommand implements Callable<Integer> {
    private static final Columns<Instances.Instance> COLUMNS = new Columns<Instances.Instance>()
            .with("INSTANCE", Instances.Instance::name)
            .with("PID", Instances.Instance::pid)
            .with("STATE", Instances.Instance::state)
            .with("LAST BEAT", one -> Ages.ago(one.ageSeconds()))
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
        output.list(
                new Answer(instances),
                instances,
                COLUMNS,
                "no instance is running, and none is gone without deregistering");
        return 0;
    }
}
