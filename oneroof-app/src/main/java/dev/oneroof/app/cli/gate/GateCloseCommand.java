package dev.oneroof.app.cli.gate;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.gate.GateStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "close", description = "Close a gate. Takes effect within a second.")
final class GateCloseCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final GateParameter gate = new GateParameter();

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            String key = db.inTx(tx -> {
                String found = gate.existing(tx);
                new GateStore().close(tx, found, by.actor(), by.reason());
                return found;
            });
            return new ActOptions.Result("%s is closed".formatted(key), new GateAnswer(key, false));
        });
    }
}
