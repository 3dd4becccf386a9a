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
    private final GateAct act = new GateAct();

    @Option(names = "--for", paramLabel = "DURATION", converter = Durations.class, description = "For how long.")
    private @Nullable Duration time;

    @Override
    public Integer call() {
        Duration until = time;
        return OperatorAccess.inDatabase(act.options(), db -> {
            GateStore gates = new GateStore();
            db.useTx(tx -> {
                if (until == null) {
                    gates.open(tx, act.key(), OperatorAccess.actor(), act.reason());
                } else {
                    gates.openFor(tx, act.key(), until, OperatorAccess.actor(), act.reason());
                }
            });
            act.report(
                    true, "%s is open%s".formatted(act.key(), until == null ? "" : " for " + DurationText.of(until)));
            return 0;
        });
    }
}
