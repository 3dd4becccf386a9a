package dev.oneroof.app.cli;

import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the gates: what each does, who set it, why and until when.")
final class GateListCommand implements Callable<Integer> {
    record Answer(List<Gate> gates) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Answer(db.inTx(tx -> new GateStore().list(tx))));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("GATE", "STANDS", "UNTIL", "BY", "WHY", "EFFECT"),
                answer.gates().stream()
                        .map(gate -> List.of(
                                gate.key(),
                                gate.open() ? "open" : "closed",
                                gate.expiresAt() == null ? "-" : gate.expiresAt(),
                                gate.actor(),
                                gate.reason(),
                                gate.effect()))
                        .toList());
    }
}
