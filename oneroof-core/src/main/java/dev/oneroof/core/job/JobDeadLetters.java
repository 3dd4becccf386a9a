package dev.oneroof.core.job;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Lists, triages and replays dead letters of jobs. */
public final class JobDeadLetters {
    /** How many letters of a group are changed in one transaction. */
    private static final int BATCH = 1000;

    private final Database db;
    private final JobDeadLetterStore store = new JobDeadLetterStore();

    public JobDeadLetters(Database db) {
        this.db = db;
    }

    /**
     * The oldest first, after an id.
     *
     * @param status null is all open ones
     */
    public List<JobDeadLetter> list(
            @Nullable String kind,
            @Nullable String fingerprint,
            @Nullable Triage status,
            @Nullable JobDeadLetterId after,
            int limit) {
        return db.inTx(tx -> {
            demandKind(tx, kind);
            return store.list(tx, kind, fingerprint, status, after, limit);
        });
    }

    /** By its id, or by the id of its job. */
    public JobDeadLetter show(UUID id) {
        return db.inTx(tx -> store.find(tx, id))
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "dead letter: there is no '%s'; closed ones are kept for some weeks".formatted(id)));
    }

    /** The largest first. */
    public List<LetterGroupReport> groups(@Nullable String kind, int limit) {
        return db.inTx(tx -> {
            demandKind(tx, kind);
            return store.groups(tx, kind, null, limit);
        });
    }

    public LetterGroupReport group(LetterGroup group) {
        return db.inTx(tx -> store.groups(tx, group.kind(), group.fingerprint(), 1)).stream()
                .findFirst()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND, "group: there is no open dead letter of '%s'".formatted(group)));
    }

    /** All or, if one is refused, none. The reason is stored as the note. */
    public void triage(Collection<JobDeadLetterId> ids, Triage to, OperatorAct by) {
        db.useTx(tx -> inOrder(ids).forEach(id -> store.triage(tx, id, to, by)));
    }

    /**
     * Triages the open letters that a group has now, in batches; returns how many changed. If it fails on the way, finished
     * batches stay, and the same call does the rest.
     *
     * @param done called after each batch with the total so far
     */
    public long triageGroup(LetterGroup group, Triage to, OperatorAct by, LongConsumer done) {
        UUID until = group(group).lastLetter().value();
        long count = 0;
        JobDeadLetterStore.Triaged batch = new JobDeadLetterStore.Triaged(0, null, true);
        while (batch.more()) {
            UUID after = batch.last();
            batch = db.inTx(tx -> store.triageGroup(tx, group, to, by, after, until, BATCH));
            count += batch.count();
            done.accept(count);
        }
        return count;
    }

    /**
     * Replays letters, each as a new job: all or, if one is refused, none. The reason names the authorization. Returns the new
     * jobs by letter.
     */
    public Map<JobDeadLetterId, JobId> replay(Collection<JobDeadLetterId> ids, OperatorAct by) {
        return db.inTx(tx -> {
            Map<JobDeadLetterId, JobId> fresh = new LinkedHashMap<>();
            inOrder(ids).forEach(id -> fresh.put(id, store.replay(tx, id, by)));
            return fresh;
        });
    }

    /**
     * Starts the replay of the letters of a group that are triaged for it now; {@link #replayNext} replays them. The reason
     * names the authorization.
     *
     * @param rate letters per second, over all callers
     */
    public ReplayRun startReplay(LetterGroup group, double rate, OperatorAct by) {
        return db.inTx(tx -> found(tx, store.start(tx, group, rate, by)));
    }

    /** Replays the next letters, as many as the rate allows by now; the whole batch or none of it. */
    public ReplayRun replayNext(ReplayRunId run, String actor) {
        return db.inTx(tx -> store.next(tx, run, BATCH, actor));
    }

    public ReplayRun run(ReplayRunId run) {
        return db.inTx(tx -> found(tx, run));
    }

    /** Cancels a run; replayed letters stay replayed. */
    public ReplayRun cancelReplay(ReplayRunId run, OperatorAct by) {
        return db.inTx(tx -> {
            store.cancel(tx, run, by);
            return found(tx, run);
        });
    }

    private ReplayRun found(Tx tx, ReplayRunId run) {
        return store.find(tx, run)
                .orElseThrow(
                        () -> new OneRoofException(ErrorCode.NOT_FOUND, "replay run: there is no '%s'".formatted(run)));
    }

    private void demandKind(Tx tx, @Nullable String kind) {
        if (kind != null && !store.isKind(tx, kind)) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "kind: '%s' is not registered; 'oneroof job kinds' has those that are".formatted(kind));
        }
    }

    /** In one order, so that concurrent calls do not deadlock, and each letter once. */
    private static List<JobDeadLetterId> inOrder(Collection<JobDeadLetterId> ids) {
        return ids.stream()
                .distinct()
                .sorted(Comparator.comparing(JobDeadLetterId::toString))
                .toList();
    }
}
