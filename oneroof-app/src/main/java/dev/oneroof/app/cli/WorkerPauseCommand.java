package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.Cursors;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "pause",
        description = "Stops a worker on a source until it is resumed, or for a while. It is seen within a second.")
final class WorkerPauseCommand implements Callable<Integer> {
    record Answer(String worker, boolean paused, @Nullable String expiry) {}

    @Mixin
    private final CursorAct act = new CursorAct();

    @Option(names = "--for", paramLabel = "DURATION", converter = Durations.class, description = "For how long.")
    private @Nullable Duration expiry;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            new Cursors(db).pause(act.scope(), act.act(), expiry);
            act.report(
                    "%s is paused%s".formatted(act.scope(), expiry == null ? "" : " for " + DurationText.of(expiry)),
                    new Answer(act.scope().toString(), true, expiry == null ? null : DurationText.of(expiry)));
            return 0;
        });
    }
}
