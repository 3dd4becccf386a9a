package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the workers and all others that beat, with the state of each and why.")
final class WorkerListCommand implements Callable<Integer> {
    record Answer(List<Executor> workers) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Answer(new Executors(db).workers()));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("WORKER", "KIND", "STATE", "LAST BEAT", "HELD BY", "WHY"),
                answer.workers().stream()
                        .map(worker -> List.of(
                                worker.name(),
                                worker.kind(),
                                worker.state(),
                                Ages.ago(worker.ageSeconds()),
                                worker.leaseOwner() == null ? "-" : worker.leaseOwner(),
                                worker.reason()))
                        .toList());
    }
}
