package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads a source for one worker: a pass is a look at the barrier, then what its two hands can do. */
public final class TailWorker implements Worker {
    private static final Duration SOURCE_FOR = Duration.ofSeconds(1);

    private final Database db;
    private final TailStores stores;
    private final TailSpec spec;
    private @Nullable TailSource source;
    private long sourceReadNanos;
    private @Nullable Hands hands;
    private @Nullable Lease handsLease;

    public TailWorker(Database db, TailStores stores, TailSpec spec) {
        this.db = db;
        this.stores = stores;
        this.spec = spec;
    }

    @Override
    public Scope scope() {
        return spec.scope();
    }

    @Override
    public @Nullable String gate() {
        return spec.gate();
    }

    @Override
    public void prepare() {
        db.useTx(tx -> {
            registered(tx);
            stores.cursors().create(tx, scope(), spec.domain(), spec.phase());
        });
    }

    @Override
    public Pass runOnce(Lease lease) {
        Hands own = handsFor(lease);
        try {
            return own.pass(source());
        } catch (RuntimeException e) {
            // Whatever it was, a commit may have gone either way and the line of observations may be broken.
            own.forget();
            source = null;
            boolean moved = e instanceof OneRoofException known && known.code() == ErrorCode.CONFLICT;
            if (moved || (SqlState.isTimeout(e) && own.halve())) {
                return new Pass.Worked(0);
            }
            throw e;
        }
    }

    /** Read again every second: a changed batch size or interval is seen soon, and a pass costs a round trip less. */
    private TailSource source() {
        long now = System.nanoTime();
        TailSource known = source;
        if (known == null || now - sourceReadNanos > SOURCE_FOR.toNanos()) {
            known = db.inTx(this::registered);
            source = known;
            sourceReadNanos = now;
        }
        return known;
    }

    /** What is known in memory belongs to one ownership; under a new lease all begins with the committed cursor. */
    private Hands handsFor(Lease lease) {
        if (hands == null || !lease.equals(handsLease)) {
            hands = new Hands(db, stores, spec, lease);
            handsLease = lease;
        }
        return hands;
    }

    private TailSource registered(Tx tx) {
        String name = scope().source();
        return stores.sources()
                .find(tx, name)
                .orElseThrow(() ->
                        new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(name)));
    }
}
