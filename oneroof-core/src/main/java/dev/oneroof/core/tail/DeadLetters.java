package dev.oneroof.core.tail;

import dev.oneroof.core.act.ActStore;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The acts of operators on rows that a tail could not handle. */
public final class DeadLetters {
    private final Database db;
    private final OperatorStore store = new OperatorStore();
    private final ActStore acts = new ActStore();
    private final GateStore gates = new GateStore();

    public DeadLetters(Database db) {
        this.db = db;
    }

    /** The open ones, of a source or of all, behind an id. */
    public List<DeadLetter> list(@Nullable String source, long after, int limit) {
        return db.inTx(tx -> {
            demandSource(tx, source);
            return store.dead(tx, source, null, after, limit);
        });
    }

    public DeadLetter show(long id) {
        return db.inTx(tx -> store.dead(tx, null, id, 0, 1)).stream()
                .findFirst()
                .orElseThrow(() -> notFound(id));
    }

    /** Has the rows retried, from their first attempt on: all, or none when one does not exist. */
    public void replay(Collection<Long> ids, OperatorAct by) {
        db.useTx(tx -> {
            // In the order of the ids, so that two replays at once cannot deadlock.
            for (long id : new TreeSet<>(ids)) {
                if (store.replayDead(tx, by, null, id) == 0) {
                    throw notFound(id);
                }
                acts.record(tx, "dlq_replay", "dead letter " + id, by);
            }
            gates.demandOpen(tx, Gates.REPLAY);
        });
    }

    /** Has all rows of a source retried; returns how many. */
    public int replayAll(String source, OperatorAct by) {
        return db.inTx(tx -> {
            demandSource(tx, source);
            gates.demandOpen(tx, Gates.REPLAY);
            int rows = store.replayDead(tx, by, source, null);
            acts.record(tx, "dlq_replay", "source " + source, by, null, Integer.toString(rows), null);
            return rows;
        });
    }

    private static void demandSource(Tx tx, @Nullable String source) {
        if (source != null && new SourceStore().find(tx, source).isEmpty()) {
            throw new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(source));
        }
    }

    private static OneRoofException notFound(long id) {
        return new OneRoofException(ErrorCode.NOT_FOUND, "dead letter: there is no open one '%d'".formatted(id));
    }
}
