package dev.oneroof.app.cli;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "open", description = "Opens a gate, until it is closed or for a while. It is seen within a second.")
final class GateOpenCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Mixin
    private final GateKey gate = new GateKey();

    @Option(names = "--for", paramLabel = "DURATION", converter = Durations.class, description = "For how long.")
    private @Nullable Duration time;

    @Override
    public Integer call() {
        Duration until = time;
        return act.perform((db, by) -> {
            GateStore gates = new GateStore();
            String key = db.inTx(tx -> {
                String found = gate.demanded(tx);
                if (until == null) {
                    gates.open(tx, found, by.actor(), by.reason());
                } else {
                    gates.openFor(tx, found, until, by.actor(), by.reason());
                }
                return found;
            });
            return new Act.Done(
                    "%s is open%s".formatted(key, until == null ? "" : " for " + DurationText.of(until)),
                    new GateAnswer(key, true));
        });
    }
}
