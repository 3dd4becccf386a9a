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

/** Tails a source for one worker. A pass samples the barrier, then reads with the two hands of the cursor. */
public final class TailWorker implements Worker {
    private static final Duration REFRESH_INTERVAL = Duration.ofSeconds(1);

    private final Database db;
    private final TailStores stores;
    private final HolderSampler sampler;
    private final TailSpec spec;
    private final TailConfig config;
    private volatile boolean readsOutbox;
    private @Nullable CachedState cached;
    private @Nullable TailSession tail;
    private @Nullable Lease tailLease;
    private @Nullable TailSource tailSource;

    /** The source and the state of the cursor, as read at most a second ago. */
    record CachedState(TailSource source, Cursor.State state, long nanos) {}

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
        CachedState now = cachedState();
        TailSession own = tailFor(lease, now.source());
        return switch (now.state()) {
            case Cursor.State.Active free -> pass(own, now.source());
            // The loop stops at a pause by itself; this one is newer than its last look.
            case Cursor.State.Paused paused -> {
                own.whileStopped(now.source());
                yield held(new Pause(paused.actor(), paused.reason(), paused.until()).text());
            }
            case Cursor.State.Held held -> {
                own.whileStopped(now.source());
                yield held("held, %s: %s".formatted(held.state(), held.reason()));
            }
        };
    }

    @Override
    public void onPause(Lease lease, String reason) {
        TailSource source = cachedState().source();
        tailFor(lease, source).whileStopped(source);
    }

    private Pass pass(TailSession own, TailSource source) {
        try {
            return own.pass(source);
        } catch (WatermarkRegression e) {
            own.reset();
            cached = null;
            hold(new TailSession.Hold(
                    "watermark_regression", String.valueOf(e.getMessage()), FindingType.CURSOR_WATERMARK_REGRESSION));
            return held(String.valueOf(e.getMessage()));
        } catch (TailSession.HoldRequired e) {
            cached = null;
            hold(e.hold());
            return held(e.hold().reason());
        } catch (RuntimeException e) {
            // After any failure the outcome of the commit is unknown, and the sequence of observations may be broken.
            own.reset();
            cached = null;
            if (e instanceof CursorPosition.CursorMoved || own.narrow(e)) {
                return new Pass.Worked(0);
            }
            throw e instanceof EffectFailure failure ? failure.unwrapped() : e;
        } catch (Error e) {
            // An Error of the JVM or the program, wherever it was thrown: it is charged to no row.
            own.reset();
            cached = null;
            throw e;
        }
    }

    private static Pass held(String reason) {
        return new Pass.Held(reason, REFRESH_INTERVAL);
    }

    private void hold(TailSession.Hold hold) {
        db.useTx(tx -> stores.cursors().hold(tx, scope(), hold.state(), hold.reason()));
        db.useTx(tx -> stores.findings()
                .raise(
                        tx,
                        new Finding(hold.type(), scope().executorName(), hold.reason(), Map.of("hold", hold.state()))));
    }

    /**
     * Read again every second: a changed batch size or a pause takes effect soon, and most passes save a round trip.
     */
    CachedState cachedState() {
        long now = System.nanoTime();
        CachedState known = cached;
        if (known == null || now - known.nanos() > REFRESH_INTERVAL.toNanos()) {
            known = db.inTx(tx -> {
                TailSource source = registered(tx);
                Cursor cursor = stores.cursors().find(tx, scope()).orElseThrow(this::noCursor);
                return new CachedState(source, cursor.state(), now);
            });
            cached = known;
        }
        return known;
    }

    /**
     * The state in memory belongs to one lease and one definition of the source. Under a new lease, or when the source
     * was altered, a new session starts from the committed cursor.
     */
    private TailSession tailFor(Lease lease, TailSource source) {
        if (tail == null || !lease.equals(tailLease) || !source.equals(tailSource)) {
            tail = new TailSession(db, stores, sampler, spec, config, lease);
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
