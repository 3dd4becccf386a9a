package dev.oneroof.core.job;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Enqueues jobs, and changes them for operators. {@link JobLeaseStore} has what the holder of a lease calls. */
final class JobStore {
    private static final String PUT = """
            SELECT p.job_no, p.existing
            FROM oneroof.fn_job_put(
                :ids, coalesce(CAST(:kinds AS text[]), array_fill(CAST(:kind AS text), ARRAY[CAST(:count AS integer)])),
                CAST(:payloads AS jsonb[]), :keys, :priorities, CAST(:times AS timestamptz[]), :attempts,
                :runs, :wake) p
            """;

    private static final String CANCEL = "SELECT oneroof.fn_job_cancel(:job, :reason, :actor) ->> 'outcome'";

    private static final String RETRY_NOW = "SELECT oneroof.fn_job_retry_now(:job, :reason, :actor) ->> 'outcome'";

    // The same clock as the default of enqueued_at.
    private static final String NOW = "SELECT now()";

    /** Enqueues all of them or none, in one statement. */
    List<Enqueued> put(Tx tx, List<NewJob> jobs, boolean wake) {
        JobId[] ids = new JobId[jobs.size()];
        Arrays.setAll(ids, n -> JobId.create());
        Map<Long, UUID> existing = SqlState.explained(() -> tx.query(PUT)
                .bind("ids", Arrays.stream(ids).map(JobId::value).toArray(UUID[]::new))
                .bind("kinds", isOneKind(jobs) ? null : texts(jobs, NewJob::kind))
                .bind("kind", jobs.getFirst().kind())
                .bind("count", jobs.size())
                .bind("payloads", texts(jobs, job -> job.payload().json()))
                .bind("keys", orNone(texts(jobs, NewJob::key)))
                .bind(
                        "priorities",
                        orNone(jobs.stream()
                                .map(NewJob::priority)
                                .map(priority -> priority == 0 ? null : priority)
                                .toArray(Integer[]::new)))
                .bind(
                        "times",
                        orNone(texts(
                                jobs, job -> job.at() == null ? null : job.at().toString())))
                .bind("attempts", orNone(jobs.stream().map(NewJob::maxAttempts).toArray(Integer[]::new)))
                .bind("runs", orNone(jobs.stream().map(NewJob::run).toArray(UUID[]::new)))
                .bind("wake", wake)
                .reduceRows(new HashMap<>(), (found, row) -> {
                    found.put(row.getColumn("job_no", Long.class), row.getColumn("existing", UUID.class));
                    return found;
                }));
        List<Enqueued> enqueued = new ArrayList<>(jobs.size());
        for (int n = 0; n < ids.length; n++) {
            UUID other = existing.get(n + 1L);
            enqueued.add(new Enqueued(other == null ? ids[n] : new JobId(other), other == null));
        }
        return enqueued;
    }

    /** Returns {@code cancelled}, {@code requested}, {@code ended} or {@code unknown}. */
    String cancel(Tx tx, JobId job, OperatorAct by) {
        return acted(tx, CANCEL, job, by);
    }

    /** Returns {@code queued} if it is due now or was already, {@code leased}, {@code ended} or {@code unknown}. */
    String retryNow(Tx tx, JobId job, OperatorAct by) {
        return acted(tx, RETRY_NOW, job, by);
    }

    private static String acted(Tx tx, String act, JobId job, OperatorAct by) {
        return SqlState.explained(() -> tx.query(act)
                .bind("job", job.value())
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(String.class)
                .one());
    }

    /** The {@code enqueued_at} of jobs that this transaction enqueues, by the database's clock. */
    Instant now(Tx tx) {
        return tx.query(NOW).mapTo(OffsetDateTime.class).one().toInstant();
    }

    private static @Nullable String[] texts(List<NewJob> jobs, Function<NewJob, @Nullable String> text) {
        return jobs.stream().map(text).toArray(String[]::new);
    }

    /** Null if all values are null: there is less to send and to check. */
    private static <T> @Nullable T @Nullable [] orNone(@Nullable T[] all) {
        return Arrays.stream(all).allMatch(Objects::isNull) ? null : all;
    }

    private static boolean isOneKind(List<NewJob> jobs) {
        String first = jobs.getFirst().kind();
        return jobs.stream().allMatch(job -> job.kind().equals(first));
    }
}
