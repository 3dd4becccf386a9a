package dev.oneroof.app.cli;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "open", description = "Opens a gate, until it is closed or for a while. It is seen within a second.")
final class GateOpenCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "GATE", description = "The gate's key; 'oneroof gate list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Option(names = "--for", paramLabel = "DURATION", converter = Durations.class, description = "For how long.")
    private @Nullable Duration time;

    @Override
    public Integer call() {
        Duration until = time;
        return act.perform((db, by) -> {
            GateStore gates = new GateStore();
            db.useTx(tx -> {
                if (until == null) {
                    gates.open(tx, key, by.actor(), by.reason());
                } else {
                    gates.openFor(tx, key, until, by.actor(), by.reason());
                }
            });
            return new Act.Done(
                    "%s is open%s".formatted(key, until == null ? "" : " for " + DurationText.of(until)),
                    new GateAnswer(key, true));
        });
    }
}
