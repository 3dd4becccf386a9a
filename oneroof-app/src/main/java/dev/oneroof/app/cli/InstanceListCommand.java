package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Instances;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the processes that run workers, and those that went without a word.")
final class InstanceListCommand implements Callable<Integer> {
    record Answer(List<Instances.Instance> instances) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Answer(new Instances(db).list()));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("INSTANCE", "PID", "STATE", "LAST BEAT", "HOLDS", "WAKE-UPS", "WHY"),
                answer.instances().stream()
                        .map(one -> List.of(
                                one.name(),
                                one.pid() == null ? "-" : Long.toString(one.pid()),
                                one.state(),
                                Ages.ago(one.ageSeconds()),
                                Long.toString(one.holds()),
                                one.wakeUps(),
                                one.reason()))
                        .toList());
    }
}
