package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "pause",
        description = "Pause a worker until it is resumed, or for a while. Takes effect within a second.")
final class WorkerPauseCommand implements Callable<Integer> {
    record Answer(String worker, boolean paused, @Nullable String expiry) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "NAME", description = "WORKER/SOURCE, or WORKER where it has only one scope.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long the pause lasts.")
    private @Nullable Duration expiry;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            Cursors cursors = new Cursors(db);
            Scope scope = cursors.pausable(name);
            cursors.pause(scope, by, expiry);
            return new ActOptions.Result(
                    "%s is paused%s".formatted(scope, expiry == null ? "" : " for " + DurationText.of(expiry)),
                    new Answer(scope.toString(), true, expiry == null ? null : DurationText.of(expiry)));
        });
    }
}
