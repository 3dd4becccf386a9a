package dev.oneroof.app.cli.gate;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "open", description = "Open a gate, until it is closed or for a time. Takes effect within a second.")
final class GateOpenCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final GateParameter gate = new GateParameter();

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "For how long.")
    private @Nullable Duration time;

    @Override
    public Integer call() {
        Duration until = time;
        return act.perform((db, by) -> {
            GateStore gates = new GateStore();
            String key = db.inTx(tx -> {
                String found = gate.existing(tx);
                if (until == null) {
                    gates.open(tx, found, by.actor(), by.reason());
                } else {
                    gates.openFor(tx, found, until, by.actor(), by.reason());
                }
                return found;
            });
            return new ActOptions.Result(
                    "%s is open%s".formatted(key, until == null ? "" : " for " + DurationText.of(until)),
                    new GateAnswer(key, true));
        });
    }
}
