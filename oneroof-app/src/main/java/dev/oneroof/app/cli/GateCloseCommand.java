package dev.oneroof.app.cli;

import dev.oneroof.core.gate.GateStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "close", description = "Closes a gate. It is seen within a second.")
final class GateCloseCommand implements Callable<Integer> {
    @Mixin
    private final GateAct act = new GateAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            db.useTx(tx -> new GateStore().close(tx, act.key(), OperatorAccess.actor(), act.reason()));
            act.report(false, "%s is closed".formatted(act.key()));
            return 0;
        });
    }
}
