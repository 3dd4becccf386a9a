package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A worker that says when it has come to the end of what there was to do. */
public final class Once implements Worker {
    private final Worker worker;
    private final boolean leavesNoScope;
    private final CompletableFuture<Ended> ended = new CompletableFuture<>();
    private long rows;
    private volatile @Nullable RuntimeException failure;

    /** @param leavesNoScope whether nobody else is registered for the scope: then nobody is to be missed after it */
    public Once(Worker worker, boolean leavesNoScope) {
        this.worker = worker;
        this.leavesNoScope = leavesNoScope;
    }

    /**
     * How it went.
     *
     * @param last the pass that was not work
     */
    public record Ended(long rows, Pass last) {}

    public CompletableFuture<Ended> ended() {
        return ended;
    }

    /** Why the last pass failed; null where it did not. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /** Somebody waits for it. */
    @Override
    public boolean yieldsToLoad() {
        return false;
    }

    @Override
    public boolean leavesNoScope() {
        return leavesNoScope;
    }

    @Override
    public Scope scope() {
        return worker.scope();
    }

    @Override
    public @Nullable String gate() {
        return worker.gate();
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
            case Pass.Idle idle -> ended.complete(new Ended(rows, pass));
            case Pass.Ailing ailing -> {}
            case Pass.Stuck stuck -> {}
            case Pass.Held held -> ended.complete(new Ended(rows, pass));
            case Pass.Lost lost -> ended.complete(new Ended(rows, pass));
        }
        return pass;
    }
}
