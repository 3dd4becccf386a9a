package dev.oneroof.app.cli;

import dev.oneroof.core.gate.GateStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "close", description = "Closes a gate. It is seen within a second.")
final class GateCloseCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Mixin
    private final GateKey gate = new GateKey();

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            String key = db.inTx(tx -> {
                String found = gate.demanded(tx);
                new GateStore().close(tx, found, by.actor(), by.reason());
                return found;
            });
            return new Act.Done("%s is closed".formatted(key), new GateAnswer(key, false));
        });
    }
}
