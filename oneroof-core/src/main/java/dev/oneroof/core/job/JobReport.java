package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Jobs as operators see them, live or ended. */
public final class JobReport {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final Database db;
    private final JobReportStore store = new JobReportStore();
    private final JobKindStore kinds = new JobKindStore();
    private final Duration longest;

    public JobReport(Database db) {
        this(db, LONGEST);
    }

    /** @param longest how long a list may take */
    JobReport(Database db, Duration longest) {
        this.db = db;
        this.longest = longest;
    }

    /** A job; what does not apply to its state is null. */
    public record Shown(
            String id,
            String kind,
            String domain,
            String state,
            int priority,
            String scheduledAt,
            String enqueuedAt,
            int attempts,
            int maxAttempts,
            @Nullable String key,
            @Nullable String run,
            @Nullable String leaseOwner,
            @Nullable String leasedAt,
            @Nullable String leaseUntil,
            @Nullable String finishedAt,
            boolean cancelling,
            @Nullable String lastError,
            String payload) {}

    /**
     * A log line of a handler.
     *
     * @param percent the progress; if lines are left out, that of the last of them that had it
     * @param leftOut how many lines before this one are left out, because the attempt logged more than are kept
     */
    public record Line(
            String at,
            int attempt,
            String level,
            String line,
            @Nullable Integer percent,
            int leftOut) {}

    public record Story(Shown job, List<Line> lines) {}

    /**
     * The newest first.
     *
     * @param before older than this one
     */
    public List<Shown> list(@Nullable String kind, @Nullable JobState state, @Nullable JobId before, int limit) {
        return db.inTx(tx -> {
            if (kind != null && !kinds.isKnown(tx, kind)) {
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "kind: '%s' is not registered; 'oneroof job kinds' has those that are".formatted(kind));
            }
            store.limitTo(tx, longest);
            try {
                return store.list(tx, kind, state, before, limit);
            } catch (JdbiException e) {
                throw SqlState.isTimeout(e) ? tooMany(e) : e;
            }
        });
    }

    private OneRoofException tooMany(JdbiException cause) {
        return new OneRoofException(
                ErrorCode.FAILED,
                "job list: reading all jobs took longer than %d s; a state (failed, cancelled, leased) narrows it"
                        .formatted(longest.toSeconds()),
                cause);
    }

    public Story show(JobId id) {
        return db.inTx(tx -> new Story(
                store.find(tx, id)
                        .orElseThrow(() -> new OneRoofException(
                                ErrorCode.NOT_FOUND,
                                "job: there is no '%s'; ended ones are kept for some days".formatted(id))),
                store.lines(tx, id)));
    }
}
