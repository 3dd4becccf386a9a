package dev.oneroof.core.operator;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.List;

/** Findings and what operators do to them. Every act is recorded with actor and reason in its own transaction. */
public final class Findings {
    /** No list is longer; what is beyond is reported by the caller. */
    public static final int MOST = 1000;

    private static final Duration LONGEST_MUTE = Duration.ofDays(365);

    private final Database db;
    private final FindingViewStore store = new FindingViewStore();

    public Findings(Database db) {
        this.db = db;
    }

    /** Those that are not resolved, the worst first and then the oldest; at most {@link #MOST}. */
    public List<FindingView> open() {
        return db.inTx(tx -> store.open(tx, MOST));
    }

    /** Those that were resolved, the latest first; at most {@link #MOST}. */
    public List<FindingView> resolved() {
        return db.inTx(tx -> store.resolved(tx, MOST));
    }

    public FindingView show(long id) {
        return db.inTx(tx -> found(tx, id));
    }

    /** An operator has seen it. It stays until its condition ends. */
    public FindingView acknowledge(long id, OperatorAct by) {
        return changed(id, (tx, finding) -> store.acknowledge(tx, finding, by));
    }

    /** Ends it. Where its condition still holds, it is raised again as a new one. */
    public FindingView resolve(long id, OperatorAct by) {
        return changed(id, (tx, finding) -> store.close(tx, finding, by));
    }

    /** Hides it for a time; it goes on counting, and after that time it is open again. */
    public FindingView mute(long id, Duration time, OperatorAct by) {
        if (!time.isPositive() || time.compareTo(LONGEST_MUTE) > 0) {
            throw new OneRoofException(
                    Problem.notAllowed("for", DurationText.of(time), "a time above zero and up to a year"));
        }
        return changed(id, (tx, finding) -> store.mute(tx, finding, time, by));
    }

    private interface Act {
        boolean perform(Tx tx, FindingView finding);
    }

    private FindingView changed(long id, Act act) {
        return db.inTx(tx -> {
            FindingView before = found(tx, id);
            // A resolved one is not touched, nor the one that was raised for the same condition since.
            if (before.status() == FindingView.Status.RESOLVED || !act.perform(tx, before)) {
                throw new OneRoofException(new Problem(
                        ErrorCode.CONFLICT,
                        "finding",
                        String.valueOf(before.id()),
                        null,
                        "it is resolved already",
                        null));
            }
            return found(tx, id);
        });
    }

    private FindingView found(Tx tx, long id) {
        return store.find(tx, id)
                .orElseThrow(() -> new OneRoofException(new Problem(
                        ErrorCode.NOT_FOUND, "finding", String.valueOf(id), null, "there is none of that id", null)));
    }
}
