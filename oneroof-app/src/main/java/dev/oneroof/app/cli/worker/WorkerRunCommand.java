package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.worker.OneShotWorker;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "run",
        description =
                "Run a worker in this process until it has nothing to do: one that a feature or 'worker add' declares.",
        footer = {"", "Exit code 3: it stopped early because the worker is paused or its cursor is held."})
final class WorkerRunCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    record Answer(
            String worker,
            long rows,
            boolean caughtUp,
            String ended,
            @Nullable String notKnown) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The worker on a source.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--once", description = "Run until there is nothing to do. Required: there is no other mode yet.")
    private boolean once;

    @Option(
            names = "--within",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "1h",
            description = "The time limit (default ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration within;

    @Override
    public Integer call() {
        if (!once) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "--once is missing: there is no other mode yet");
        }
        return OperatorAccess.inHost(options, host -> {
            OneRoof oneroof = host.runtime();
            Worker worker = oneroof.declared(scope).orElseThrow(this::unknown);
            demandSource(oneroof);
            return report(
                    oneroof.runOnce(worker, within),
                    new Sources(oneroof.database()).notKnown().get(scope.source()));
        });
    }

    private OneRoofException unknown() {
        return new OneRoofException(new Problem(
                ErrorCode.NOT_FOUND,
                "worker",
                scope.toString(),
                null,
                "no feature and no row declares it",
                "'oneroof worker add' declares one"));
    }

    private void demandSource(OneRoof oneroof) {
        if (oneroof.database()
                .inTx(tx -> new SourceStore().find(tx, scope.source()))
                .isEmpty()) {
            throw new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(scope.source()));
        }
    }

    private int report(OneShotWorker.Result ended, @Nullable String notKnown) {
        boolean caughtUp = ended.last() instanceof Pass.Idle;
        String how = switch (ended.last()) {
            case Pass.Idle idle -> notKnown == null ? "nothing to do" : "no known work is left; " + notKnown;
            case Pass.Held held -> held.reason();
            case Pass.Lost lost -> "another instance took the lease";
            case Pass.Worked worked -> throw new IllegalStateException("the run has not ended");
            case Pass.CaughtUp done -> throw new IllegalStateException("the run has not ended");
            case Pass.Degraded degraded -> throw new IllegalStateException("the run has not ended");
            case Pass.Stuck stuck -> throw new IllegalStateException("the run has not ended");
        };
        output.report(
                "%s: %s, %s".formatted(scope, Counted.of(ended.rows(), "row"), how),
                new Answer(scope.toString(), ended.rows(), caughtUp, how, notKnown));
        return caughtUp ? 0 : UNHEALTHY;
    }
}
