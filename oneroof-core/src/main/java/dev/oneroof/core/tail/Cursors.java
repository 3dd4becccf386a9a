package dev.oneroof.core.tail;

import dev.oneroof.core.act.ActStore;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.core.worker.PauseStore;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The acts of operators on cursors. Every act is durable, recorded with actor and reason in its own transaction, and
 * takes effect in the running worker within a second; a batch that is under way is not committed over it.
 */
public final class Cursors {
    private static final Duration LONGEST = Duration.ofDays(365);

    private final Database db;
    private final TailStores stores = TailStores.standard();
    private final OperatorStore store = new OperatorStore();
    private final PauseStore pauses = new PauseStore();
    private final ActStore acts = new ActStore();
    private final GateStore gates = new GateStore();
    private final CursorReport reports = new CursorReport();

    public Cursors(Database db) {
        this.db = db;
    }

    public List<Cursor> list() {
        return db.inTx(stores.cursors()::list);
    }

    /** Both hands of the cursor, their lag, the lease owner, and the transactions that hold settled back. */
    public CursorReport.Report show(Scope scope) {
        return db.inTx(tx -> reports.of(tx, stores, cursor(tx, scope), source(tx, scope)));
    }

    /** Pauses a worker, with a cursor or without, until the time is over or it is resumed. */
    public void pause(Scope scope, OperatorAct by, @Nullable Duration expiry) {
        demand("for", expiry);
        db.useTx(tx -> {
            pausable(tx, scope.executorName());
            // The cursor first, in the order in which batches lock.
            store.interrupt(tx, scope);
            pauses.pause(tx, scope, by, expiry);
            acts.record(
                    tx,
                    "cursor_pause",
                    scope.executorName(),
                    by,
                    null,
                    null,
                    expiry == null ? null : DurationText.of(expiry));
        });
    }

    /** False when it was not paused. */
    public boolean resume(Scope scope, OperatorAct by) {
        return db.inTx(tx -> {
            pausable(tx, scope.executorName());
            boolean paused = pauses.resume(tx, scope);
            if (paused) {
                acts.record(tx, "cursor_resume", scope.executorName(), by);
            }
            return paused;
        });
    }

    /**
     * The scope that can be paused under this name.
     *
     * @param name of a scope, with or without its shard where that is 0, or of a worker that has only one scope
     */
    public Scope pausable(String name) {
        return db.inTx(tx -> pausable(tx, name));
    }

    private Scope pausable(Tx tx, String name) {
        List<Scope> found = pauses.find(tx, name);
        if (found.size() > 1) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "worker: '%s' has %d scopes; allowed are %s"
                            .formatted(
                                    name,
                                    found.size(),
                                    found.stream().map(Scope::executorName).collect(Collectors.joining(", "))));
        }
        return found.stream()
                .findFirst()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "worker: there is no worker and no cursor '%s'; 'oneroof worker list' and 'oneroof cursor list' have them"
                                .formatted(name)));
    }

    /** Ends a hold: the cursor continues from its present position. */
    public void accept(Scope scope, OperatorAct by) {
        db.useTx(tx -> {
            Cursor cursor = cursor(tx, scope);
            if (!(cursor.state() instanceof Cursor.State.Held held)) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT, "cursor: '%s' is not held: there is nothing to accept".formatted(scope));
            }
            store.accept(tx, scope);
            stores.sources().acceptCollation(tx, source(tx, scope));
            acts.record(tx, "cursor_accept", scope.executorName(), by, held.state(), null, null);
            stores.findings().resolve(tx, FindingType.CURSOR_WATERMARK_REGRESSION, scope.executorName());
            stores.findings().resolve(tx, FindingType.CURSOR_CONTRACT_BROKEN, scope.executorName());
        });
    }

    /** What a replay would do: how many rows would be handed out again, from and to which key. */
    public CursorReport.Preview previewReplay(Scope scope, @Nullable Watermark to) {
        return db.inTx(tx -> preview(tx, scope, to));
    }

    /**
     * Sets the cursor back, so that all rows after the watermark are handed out again; null is the start of the source.
     * Refused when the cursor has moved since it was read.
     */
    public CursorReport.Preview replay(Scope scope, @Nullable Watermark to, OperatorAct by) {
        return db.inTx(tx -> {
            CursorReport.Preview preview = preview(tx, scope, to);
            gates.demandOpen(tx, Gates.REPLAY);
            Cursor now = cursor(tx, scope);
            if (!store.setBack(tx, scope, by, now, to)) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT, "cursor: '%s' moved at the same time; try again".formatted(scope));
            }
            acts.record(
                    tx,
                    "cursor_replay",
                    scope.executorName(),
                    by,
                    String.valueOf(now.settled()),
                    to == null ? "the beginning" : to.toString(),
                    null);
            stores.findings().resolve(tx, FindingType.CURSOR_CLOCK_STEPPED_BACK, scope.executorName());
            return preview;
        });
    }

    private CursorReport.Preview preview(Tx tx, Scope scope, @Nullable Watermark to) {
        Cursor cursor = cursor(tx, scope);
        TailSource source = source(tx, scope);
        return reports.preview(tx, stores, cursor, source, to);
    }

    /**
     * Makes the cursor stop waiting for a transaction. Rows that it commits below the settled watermark are found while
     * the keys there are kept, or by an audit.
     */
    public void skip(Scope scope, String holder, OperatorAct by, Duration expiry) {
        demand("for", expiry);
        db.useTx(tx -> {
            Cursor cursor = cursor(tx, scope);
            if (!store.isOpen(tx, holder)) {
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "holder: there is no open transaction '%s'; see: oneroof cursor show".formatted(holder));
            }
            store.skip(tx, scope, holder, expiry);
            acts.record(
                    tx,
                    "cursor_skip",
                    scope.executorName() + " holder " + holder,
                    by,
                    String.valueOf(cursor.settled()),
                    String.valueOf(cursor.head()),
                    DurationText.of(expiry));
        });
    }

    private static void demand(String field, @Nullable Duration duration) {
        if (duration != null && (!duration.isPositive() || duration.compareTo(LONGEST) > 0)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed is a time above zero and up to a year"
                            .formatted(field, DurationText.of(duration)));
        }
    }

    private Cursor cursor(Tx tx, Scope scope) {
        return stores.cursors()
                .find(tx, scope)
                .orElseThrow(() ->
                        new OneRoofException(ErrorCode.NOT_FOUND, "cursor: there is no cursor '%s'".formatted(scope)));
    }

    private TailSource source(Tx tx, Scope scope) {
        Optional<TailSource> source = stores.sources().find(tx, scope.source());
        return source.orElseThrow(() ->
                new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(scope.source())));
    }
}
