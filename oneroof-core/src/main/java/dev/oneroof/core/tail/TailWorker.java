package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Pause;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a source for one worker: a pass is a look at the barrier, then what its two hands can do. */
public final class TailWorker implements Worker {
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    private final Database db;
    private final TailStores stores;
    private final HolderSampler sampler;
    private final TailSpec spec;
    private final TailConfig config;
    private volatile boolean readsOutbox;
    private @Nullable Looked looked;
    private @Nullable Tail tail;
    private @Nullable Lease tailLease;
    private @Nullable TailSource tailSource;

    /** The source and whether the cursor may move, as they were a moment ago. */
    record Looked(TailSource source, Cursor.Standing standing, long nanos) {}

    /** @param sampler one for all tails of the process */
    public TailWorker(Database db, TailStores stores, HolderSampler sampler, TailSpec spec, TailConfig config) {
        this.sampler = sampler;
        this.db = db;
        this.stores = stores;
        this.spec = spec;
        this.config = config;
    }

    @Override
    public WorkerSpec spec() {
        return WorkerSpec.of(spec.scope()).gatedBy(spec.gates());
    }

    private Scope scope() {
        return spec.scope();
    }

    @Override
    public boolean isWokenBy(WakeUpLayer layer) {
        return readsOutbox && layer == WakeUpLayer.EVENT;
    }

    @Override
    public void prepare() {
        db.useTx(tx -> {
            readsOutbox = stores.sources().isOutbox(tx, registered(tx));
            stores.cursors().create(tx, scope(), spec.domain(), spec.phase());
        });
    }

    @Override
    public Pass runOnce(Lease lease) {
        Looked now = looked();
        Tail own = tailFor(lease, now.source());
        return switch (now.standing()) {
            case Cursor.Standing.Free free -> pass(own, now.source());
            // The loop stops at a pause by itself; here it is one that came since the loop looked.
            case Cursor.Standing.Paused paused -> {
                own.stopped(now.source());
                yield held(new Pause(paused.actor(), paused.reason(), paused.until()).text());
            }
            case Cursor.Standing.Held held -> {
                own.stopped(now.source());
                yield held("held, %s: %s".formatted(held.state(), held.reason()));
            }
        };
    }

    @Override
    public void onPause(Lease lease, String reason) {
        TailSource source = looked().source();
        tailFor(lease, source).stopped(source);
    }

    private Pass pass(Tail own, TailSource source) {
        try {
            return own.pass(source);
        } catch (Regression e) {
            own.forget();
            looked = null;
            hold(new Tail.Stop(
                    "watermark_regression", String.valueOf(e.getMessage()), FindingType.CURSOR_WATERMARK_REGRESSION));
            return held(String.valueOf(e.getMessage()));
        } catch (Tail.Stopped e) {
            looked = null;
            hold(e.stop());
            return held(e.stop().reason());
        } catch (RuntimeException e) {
            // Whatever it was, a commit may have gone either way and the line of observations may be broken.
            own.forget();
            looked = null;
            if (e instanceof Position.Moved || own.narrow(e)) {
                return new Pass.Worked(0);
            }
            throw e instanceof EffectFailure failure ? failure.unwrapped() : e;
        } catch (Error e) {
            // Of the machine or of the program, wherever it was thrown: no row is charged with it.
            own.forget();
            looked = null;
            throw e;
        }
    }

    private static Pass held(String reason) {
        return new Pass.Held(reason, LOOK_INTERVAL);
    }

    private void hold(Tail.Stop stop) {
        db.useTx(tx -> stores.cursors().hold(tx, scope(), stop.state(), stop.reason()));
        db.useTx(tx -> stores.findings()
                .raise(
                        tx,
                        new Finding(stop.type(), scope().executorName(), stop.reason(), Map.of("hold", stop.state()))));
    }

    /** Looked at again every second: a changed batch size or a pause is seen soon, and a pass costs a round trip less. */
    Looked looked() {
        long now = System.nanoTime();
        Looked known = looked;
        if (known == null || now - known.nanos() > LOOK_INTERVAL.toNanos()) {
            known = db.inTx(tx -> {
                TailSource source = registered(tx);
                Cursor cursor = stores.cursors().find(tx, scope()).orElseThrow(this::noCursor);
                return new Looked(source, cursor.standing(), now);
            });
            looked = known;
        }
        return known;
    }

    /**
     * What is known in memory belongs to one ownership and one definition of the source; under a new lease, or when the
     * source was altered, all begins with the committed cursor.
     */
    private Tail tailFor(Lease lease, TailSource source) {
        if (tail == null || !lease.equals(tailLease) || !source.equals(tailSource)) {
            tail = new Tail(db, stores, sampler, spec, config, lease);
            tailLease = lease;
            tailSource = source;
        }
        return tail;
    }

    private TailSource registered(Tx tx) {
        String name = scope().source();
        return stores.sources()
                .find(tx, name)
                .orElseThrow(() ->
                        new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(name)));
    }

    private OneRoofException noCursor() {
        return new OneRoofException(ErrorCode.NOT_FOUND, "cursor: '%s' does not exist".formatted(scope()));
    }
}
