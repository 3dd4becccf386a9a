package dev.oneroof.app.cli.cursor;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.Confirmation;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.ScopeConverter;
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
        description = "Stop waiting for a transaction. Rows that it commits later may be missed.",
        footer = {"", "'oneroof cursor show' lists the open transactions."})
final class CursorSkipCommand implements Callable<Integer> {
    record Answer(String cursor, String holder, String expiry) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--holder", required = true, paramLabel = "LABEL", description = "The transaction, such as 12/345.")
    @SuppressWarnings("NullAway.Init")
    private String holder;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            defaultValue = "1h",
            converter = DurationConverter.class,
            description = "For how long (default ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration expiry;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            if (!yes) {
                Confirmation.atTheTerminal(act.output().console())
                        .demand("stop waiting for transaction %s on '%s'?".formatted(holder, scope));
            }
            new Cursors(db).skip(scope, holder, by, expiry);
            return new ActOptions.Result(
                    "%s does not wait for transaction %s for %s".formatted(scope, holder, DurationText.of(expiry)),
                    new Answer(scope.toString(), holder, DurationText.of(expiry)));
        });
    }
}
