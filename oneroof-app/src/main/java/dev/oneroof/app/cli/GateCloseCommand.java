package dev.oneroof.app.cli;

import dev.oneroof.core.gate.GateStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "close", description = "Closes a gate. It is seen within a second.")
final class GateCloseCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "GATE", description = "The gate's key; 'oneroof gate list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            db.useTx(tx -> new GateStore().close(tx, key, by.actor(), by.reason()));
            return new Act.Done("%s is closed".formatted(key), new GateAnswer(key, false));
        });
    }
}
