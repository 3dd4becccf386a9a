package dev.oneroof.app.cli;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "skip",
        description = "Does not wait for a transaction any more. What it still commits may be missed.",
        footer = {"", "'oneroof cursor show' names the open transactions."})
final class CursorSkipCommand implements Callable<Integer> {
    record Answer(String cursor, String holder, String expiry) {}

    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = CursorName.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--holder", required = true, paramLabel = "LABEL", description = "The transaction, as 12/345.")
    @SuppressWarnings("NullAway.Init")
    private String holder;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            defaultValue = "1h",
            converter = Durations.class,
            description = "For how long; without it an hour.")
    @SuppressWarnings("NullAway.Init")
    private Duration expiry;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            if (!yes) {
                Confirmation.atTheTerminal(act.output().console())
                        .demand("not wait for transaction %s on '%s'?".formatted(holder, scope));
            }
            new Cursors(db).skip(scope, holder, by, expiry);
            return new Act.Done(
                    "%s does not wait for %s for %s".formatted(scope, holder, DurationText.of(expiry)),
                    new Answer(scope.toString(), holder, DurationText.of(expiry)));
        });
    }
}
