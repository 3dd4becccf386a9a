package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs a worker until it has nothing left to do, and reports the result. */
public final class OneShotWorker implements Worker {
    private final Worker worker;
    private final WorkerSpec spec;
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private long rows;
    private volatile @Nullable RuntimeException failure;

    /** @param removesScope whether no other worker is registered for the scope, so that no one is missing after this run */
    public OneShotWorker(Worker worker, boolean removesScope) {
        this.worker = worker;
        // A caller waits for the result: it does not yield to load.
        this.spec = worker.spec().ignoringLoad().removingScope(removesScope);
    }

    /**
     * What the run came to.
     *
     * @param rows how many were processed
     * @param last the pass that ended it
     */
    public record Result(long rows, Pass last) {}

    public CompletableFuture<Result> result() {
        return result;
    }

    /** Why the last pass failed; null where it did not. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    @Override
    public WorkerSpec spec() {
        return spec;
    }

    @Override
    public void prepare() {
        worker.prepare();
    }

    @Override
    public Pass runOnce(Lease lease) {
        Pass pass;
        try {
            pass = worker.runOnce(lease);
            failure = null;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
        switch (pass) {
            case Pass.Worked worked -> rows += worked.rows();
            case Pass.CaughtUp done -> rows += done.rows();
            case Pass.Idle idle -> endWith(pass);
            case Pass.Degraded degraded -> {}
            case Pass.Stuck stuck -> {}
            case Pass.Held held -> endWith(pass);
            case Pass.Lost lost -> endWith(pass);
        }
        return pass;
    }

    @Override
    public void onPause(Lease lease, String reason) {
        endWith(new Pass.Held(reason, Duration.ZERO));
    }

    private void endWith(Pass last) {
        result.complete(new Result(rows, last));
    }
}
