package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.database.Database;
import dev.oneroof.database.SqlState;
import dev.oneroof.database.Tx;
import dev.oneroof.database.error.ErrorCode;
import dev.oneroof.database.error.OneRoofException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads a source page by page and commits each page's effect together with the cursor.
 *
 * <p>One transaction per batch, in this order: effects, cursor, fence. The fence stands last, so that the lease is known
 * to be ours at the moment of the commit and not just when the batch began. A crash anywhere leaves either all of it or
 * nothing; the next owner goes on from the committed watermark.
 */
public final class TailWorker implements Worker {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private final Database db;
    private final SourceStore sources;
    private final CursorStore cursors;
    private final LeaseStore leases;
    private final TailSpec spec;

    private int limit = Integer.MAX_VALUE;
    private @Nullable Lease runLease;
    private RunSummary run = RunSummary.NOTHING;

    public TailWorker(Database db, SourceStore sources, CursorStore cursors, LeaseStore leases, TailSpec spec) {
        this.db = db;
        this.sources = sources;
        this.cursors = cursors;
        this.leases = leases;
        this.spec = spec;
    }

    @Override
    public Scope scope() {
        return spec.scope();
    }

    @Override
    public String gate() {
        return spec.gate();
    }

    @Override
    public void prepare() {
        db.useTx(tx -> {
            registered(tx);
            cursors.create(tx, scope(), spec.domain(), spec.phase());
        });
    }

    @Override
    public Pass runOnce(Lease lease) {
        if (!lease.equals(runLease)) {
            runLease = lease;
            run = RunSummary.NOTHING;
        }
        try {
            return db.inTx(tx -> batch(tx, lease));
        } catch (RuntimeException e) {
            if (SqlState.isTimeout(e) && limit > 1) {
                limit = Math.max(1, limit / 2);
                return new Pass.Worked(0);
            }
            throw e;
        }
    }

    private Pass batch(Tx tx, Lease lease) {
        TailSource source = registered(tx);
        limit = Math.min(limit, source.batchSize());
        Cursor cursor = cursors.openBatch(tx, scope(), READ_TIMEOUT).orElseThrow(this::noCursor);

        Batch batch = spec.effect().apply(tx, new Page(source, cursor.head(), limit));
        if (batch.last() == null) {
            tx.abandon();
            return new Pass.Idle(source.pollInterval());
        }
        RunSummary after = run.plus(batch);
        if (!cursors.advance(tx, cursor, batch.last(), batch, after)) {
            tx.abandon();
            return new Pass.Worked(0);
        }
        if (leases.fence(tx, lease) == Renewal.LOST) {
            tx.abandon();
            return new Pass.Lost();
        }
        run = after;
        limit = Math.min(limit, Integer.MAX_VALUE / 2) * 2;
        return new Pass.Worked(batch.rowsSeen());
    }

    private TailSource registered(Tx tx) {
        String name = scope().source();
        return sources.find(tx, name)
                .orElseThrow(() ->
                        new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(name)));
    }

    private OneRoofException noCursor() {
        return new OneRoofException(ErrorCode.NOT_FOUND, "cursor: '%s' does not exist".formatted(scope()));
    }
}
