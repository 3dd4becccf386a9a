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

/** What operators do with the jobs that were given up. */
public final class JobDeadLetters {
    /** How many letters of a group are changed in one transaction. */
    private static final int BATCH = 1000;

    private final Database db;
    private final JobDeadLetterStore store = new JobDeadLetterStore();

    public JobDeadLetters(Database db) {
        this.db = db;
    }

    /**
     * The oldest first, behind an id.
     *
     * @param status null are all that are open
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

    /** By its id, or by that of its job. */
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

    /** All or, when one is refused, none. The reason is kept as the note. */
    public void triage(Collection<JobDeadLetterId> ids, Triage to, OperatorAct by) {
        db.useTx(tx -> inOrder(ids).forEach(id -> store.triage(tx, id, to, by)));
    }

    /**
     * Triages the open letters of a group that are there now, in batches; returns how many were not so triaged before.
     * What was done stays so when it fails on the way, and the same call again does the rest.
     *
     * @param done is told after each batch how many it were so far
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
     * Has jobs done once more, each as a new one: all or, when one is refused, none. The reason says who allowed it.
     * Returns by letter the new jobs.
     */
    public Map<JobDeadLetterId, JobId> replay(Collection<JobDeadLetterId> ids, OperatorAct by) {
        return db.inTx(tx -> {
            Map<JobDeadLetterId, JobId> fresh = new LinkedHashMap<>();
            inOrder(ids).forEach(id -> fresh.put(id, store.replay(tx, id, by)));
            return fresh;
        });
    }

    /**
     * Begins the replay of those in a group that are triaged for it now; {@link #replayNext} does it. The reason says
     * who allowed it.
     *
     * @param rate letters a second, over all who ask for batches
     */
    public ReplayRun startReplay(LetterGroup group, double rate, OperatorAct by) {
        return db.inTx(tx -> found(tx, store.start(tx, group, rate, by)));
    }

    /** Replays the next letters, as many as the rate allows by now; all of the batch or none. */
    public ReplayRun replayNext(ReplayRunId run, String actor) {
        return db.inTx(tx -> store.next(tx, run, BATCH, actor));
    }

    public ReplayRun run(ReplayRunId run) {
        return db.inTx(tx -> found(tx, run));
    }

    /** Gives a run up; what it has replayed stays so. */
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

    /** Two at once lock the same letters one way only, and nobody does one twice. */
    private static List<JobDeadLetterId> inOrder(Collection<JobDeadLetterId> ids) {
        return ids.stream()
                .distinct()
                .sorted(Comparator.comparing(JobDeadLetterId::toString))
                .toList();
    }
}
