package dev.oneroof.app.cli.finding;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.Findings;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "mute", description = "Mute a finding for a time. It keeps counting, and is open again afterwards.")
final class FindingMuteCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "ID", description = "The finding's id; 'oneroof finding list' has them.")
    private long id;

    @Option(
            names = "--for",
            required = true,
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "For how long, up to a year.")
    @SuppressWarnings("NullAway.Init")
    private Duration time;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            FindingView muted = new Findings(db).mute(id, time, by);
            return new ActOptions.Result("finding %d is muted until %s".formatted(id, muted.mutedUntil()), muted);
        });
    }
}
