package dev.oneroof.app.cli.gate;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the gates: what each controls, its state, who set it, why and until when.")
final class GateListCommand implements Callable<Integer> {
    private static final Columns<Gate> COLUMNS = new Columns<Gate>()
            .with("GATE", Gate::key)
            .with("STATE", gate -> gate.open() ? "open" : "closed")
            .with("UNTIL", Gate::expiresAt)
            .with("BY", Gate::actor)
            .with("WHY", Gate::reason)
            .with("EFFECT", Gate::effect);

    record Answer(List<Gate> gates) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<Gate> gates = OperatorAccess.inDatabase(options, db -> db.inTx(tx -> new GateStore().list(tx)));
        output.list(new Answer(gates), gates, COLUMNS, "there is no gate");
        return 0;
    }
}
