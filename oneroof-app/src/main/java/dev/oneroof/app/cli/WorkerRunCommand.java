package dev.oneroof.app.cli;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.worker.OneShotWorker;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.governance.registrybackfill.BackfillSweep;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
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
        description = "Run one of OneRoof's own workers in this process until it has nothing to do.",
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

    @Parameters(paramLabel = "WORKER/SOURCE", converter = CursorName.class, description = "The worker on a source.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--once", description = "Until it has nothing to do; there is no other way yet.")
    private boolean once;

    @Option(
            names = "--within",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "1h",
            description = "How long it may take; ${DEFAULT-VALUE} unless said.")
    @SuppressWarnings("NullAway.Init")
    private Duration within;

    @Override
    public Integer call() {
        if (!once) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "--once is missing: there is no other way to run yet");
        }
        TailSpec spec = spec();
        return OperatorAccess.inPool(options, (config, pool) -> {
            // A name of its own: under that of a running process it would take what that one holds.
            RuntimeConfig runtime = RuntimeConfig.named(
                            "run-once/" + ProcessHandle.current().pid())
                    .withSchema(config.schema().schema());
            try (OneRoof oneroof = OneRoof.open(runtime, pool)) {
                demandSource(oneroof);
                return report(
                        oneroof.runOnce(spec, within),
                        new Sources(oneroof.database()).notKnown().get(scope.source()));
            }
        });
    }

    private TailSpec spec() {
        if (!scope.worker().equals(BackfillSweep.WORKER)) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "worker: '%s' is none of OneRoof's own; allowed is %s"
                            .formatted(scope.worker(), BackfillSweep.WORKER));
        }
        return BackfillSweep.over(scope.source());
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
            case Pass.Idle idle ->
                notKnown == null ? "nothing is left to do" : "nothing is known that is left to do; " + notKnown;
            case Pass.Held held -> held.reason();
            case Pass.Lost lost -> "another instance claimed it";
            case Pass.Worked worked -> throw new IllegalStateException("it had not ended");
            case Pass.CaughtUp done -> throw new IllegalStateException("it had not ended");
            case Pass.Degraded degraded -> throw new IllegalStateException("it had not ended");
            case Pass.Stuck stuck -> throw new IllegalStateException("it had not ended");
        };
        output.report(
                "%s: %s, %s".formatted(scope, Counted.of(ended.rows(), "row"), how),
                new Answer(scope.toString(), ended.rows(), caughtUp, how, notKnown));
        return caughtUp ? 0 : UNHEALTHY;
    }
}
