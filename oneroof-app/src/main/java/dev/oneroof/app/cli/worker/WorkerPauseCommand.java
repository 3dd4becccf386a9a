package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.ScopeConverter;
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
        description = "Pause a worker on a source, until it is resumed or for a time. Takes effect within a second.")
final class WorkerPauseCommand implements Callable<Integer> {
    record Answer(String worker, boolean paused, @Nullable String expiry) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "For how long.")
    private @Nullable Duration expiry;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Cursors(db).pause(scope, by, expiry);
            return new ActOptions.Result(
                    "%s is paused%s".formatted(scope, expiry == null ? "" : " for " + DurationText.of(expiry)),
                    new Answer(scope.toString(), true, expiry == null ? null : DurationText.of(expiry)));
        });
    }
}
