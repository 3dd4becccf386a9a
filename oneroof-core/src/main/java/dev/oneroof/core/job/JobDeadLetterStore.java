package dev.oneroof.core.job;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Dead letters of jobs: read from their table, changed by functions that executors in other languages call as well. */
final class JobDeadLetterStore {
    private static final String COLUMNS = """
            SELECT dead_letter_id, job_id, job_kind, event_domain, priority, attempts, max_attempts, idempotency_key, run_id,
                   payload::text AS payload, error_class, last_error, fingerprint, enqueued_at::text AS enqueued_at,
                   last_failed_at::text AS last_failed_at, triage_status, triaged_by, triaged_at::text AS triaged_at,
                   coalesce(nullif(btrim(note_before_replay), '') || '; ', '') || triage_note AS triage_note,
                   resolved_at::text AS resolved_at, replayed_as, authorization_source, replay_run_id
            FROM oneroof.job_dead_letter
            """;

    // Without a status only open ones, which have an index of their own.
    private static final String OPEN = COLUMNS + """
            WHERE resolved_at IS NULL
              AND (CAST(:kind AS text) IS NULL OR job_kind = :kind)
              AND (CAST(:fingerprint AS text) IS NULL OR fingerprint = :fingerprint)
              AND (CAST(:status AS text) IS NULL OR triage_status = :status)
              AND (CAST(:after AS uuid) IS NULL OR dead_letter_id > :after)
            ORDER BY dead_letter_id
            LIMIT :limit
            """;

    private static final String CLOSED = OPEN.replace("resolved_at IS NULL", "resolved_at IS NOT NULL");

    // A job has at most one: a replay is another job.
    private static final String ONE = COLUMNS + "WHERE dead_letter_id = :id OR job_id = :id";

    private static final String GROUPS = """
            SELECT job_kind, event_domain, fingerprint, error_class, sample_error, last_letter, open_count, new_count,
                   investigating_count, manual_replay_count, first_failed_at::text AS first_failed_at,
                   last_failed_at::text AS last_failed_at, replay_run_id
            FROM oneroof.v_job_dead_letter_group
            WHERE (CAST(:kind AS text) IS NULL OR job_kind = :kind)
              AND (CAST(:fingerprint AS text) IS NULL OR fingerprint = :fingerprint)
            ORDER BY open_count DESC, job_kind, fingerprint
            LIMIT :limit
            """;

    private static final String IS_KIND = """
            SELECT EXISTS (SELECT FROM oneroof.job_kind WHERE job_kind = :kind)
                OR EXISTS (SELECT FROM oneroof.job_dead_letter WHERE job_kind = :kind AND resolved_at IS NULL)
            """;

    private static final String TRIAGE =
            "SELECT oneroof.fn_job_dead_letter_triage(:id, :status, :note, :actor) ->> 'to'";

    private static final String TRIAGE_GROUP = """
            SELECT (t.result ->> 'triaged')::bigint AS triaged, CAST(t.result ->> 'last' AS uuid) AS last,
                   (t.result ->> 'more')::boolean AS more
            FROM oneroof.fn_job_dead_letter_triage_group(
                :kind, :fingerprint, :status, :note, :actor, :after, :until, :limit) t (result)
            """;

    private static final String REPLAY =
            "SELECT CAST(oneroof.fn_job_dead_letter_replay(:id, :authorization, :actor) ->> 'job_id' AS uuid)";

    private static final String START = """
            SELECT CAST(oneroof.fn_job_dead_letter_replay_start(
                :kind, :fingerprint, :authorization, :rate, :actor) ->> 'replay_run_id' AS uuid)
            """;

    private static final String NEXT = """
            SELECT n.result ->> 'state' AS state, (n.result ->> 'letters')::bigint AS letters,
                   (n.result ->> 'replayed')::bigint AS replayed, (n.result ->> 'wait_seconds')::double precision AS wait
            FROM oneroof.fn_job_dead_letter_replay_next(:run, :limit, :actor) n (result)
            """;

    private static final String CANCEL =
            "SELECT oneroof.fn_job_dead_letter_replay_cancel(:run, :reason, :actor) ->> 'replayed'";

    private static final String RUN = """
            SELECT state, letters, replayed, CAST(0 AS double precision) AS wait
            FROM oneroof.job_dead_letter_replay_run
            WHERE replay_run_id = :run
            """;

    /** The result of one batch of a group's triage; {@code last} is null if the batch was empty. */
    record Triaged(long count, @Nullable UUID last, boolean more) {}

    List<JobDeadLetter> list(
            Tx tx,
            @Nullable String kind,
            @Nullable String fingerprint,
            @Nullable Triage status,
            @Nullable JobDeadLetterId after,
            int limit) {
        return tx.query(status == Triage.CLOSED ? CLOSED : OPEN)
                .bind("kind", kind)
                .bind("fingerprint", fingerprint)
                .bind("status", status == null ? null : status.sql())
                .bind("after", after == null ? null : after.value())
                .bind("limit", limit)
                .map((row, context) -> letter(row))
                .list();
    }

    /** By its id, or by the id of its job. */
    Optional<JobDeadLetter> find(Tx tx, UUID id) {
        return tx.query(ONE).bind("id", id).map((row, context) -> letter(row)).findFirst();
    }

    List<LetterGroupReport> groups(Tx tx, @Nullable String kind, @Nullable String fingerprint, int limit) {
        return tx.query(GROUPS)
                .bind("kind", kind)
                .bind("fingerprint", fingerprint)
                .bind("limit", limit)
                .map((row, context) -> group(row))
                .list();
    }

    /** Whether the kind is registered, or has open letters. */
    boolean isKind(Tx tx, String kind) {
        return tx.query(IS_KIND).bind("kind", kind).mapTo(Boolean.class).one();
    }

    void triage(Tx tx, JobDeadLetterId id, Triage to, OperatorAct by) {
        SqlState.explained(() -> tx.query(TRIAGE)
                .bind("id", id.value())
                .bind("status", to.sql())
                .bind("note", by.reason())
                .bind("actor", by.actor())
                .mapTo(String.class)
                .one());
    }

    Triaged triageGroup(
            Tx tx, LetterGroup group, Triage to, OperatorAct by, @Nullable UUID after, UUID until, int limit) {
        return SqlState.explained(() -> tx.query(TRIAGE_GROUP)
                .bind("kind", group.kind())
                .bind("fingerprint", group.fingerprint())
                .bind("status", to.sql())
                .bind("note", by.reason())
                .bind("actor", by.actor())
                .bind("after", after)
                .bind("until", until)
                .bind("limit", limit)
                .map((row, context) ->
                        new Triaged(row.getLong("triaged"), row.getObject("last", UUID.class), row.getBoolean("more")))
                .one());
    }

    JobId replay(Tx tx, JobDeadLetterId id, OperatorAct by) {
        return new JobId(SqlState.explained(() -> tx.query(REPLAY)
                .bind("id", id.value())
                .bind("authorization", by.reason())
                .bind("actor", by.actor())
                .mapTo(UUID.class)
                .one()));
    }

    ReplayRunId start(Tx tx, LetterGroup group, double rate, OperatorAct by) {
        return new ReplayRunId(SqlState.explained(() -> tx.query(START)
                .bind("kind", group.kind())
                .bind("fingerprint", group.fingerprint())
                .bind("authorization", by.reason())
                .bind("rate", rate)
                .bind("actor", by.actor())
                .mapTo(UUID.class)
                .one()));
    }

    ReplayRun next(Tx tx, ReplayRunId run, int limit, String actor) {
        return SqlState.explained(() -> tx.query(NEXT)
                .bind("run", run.value())
                .bind("limit", limit)
                .bind("actor", actor)
                .map((row, context) -> run(run, row))
                .one());
    }

    void cancel(Tx tx, ReplayRunId run, OperatorAct by) {
        SqlState.explained(() -> tx.query(CANCEL)
                .bind("run", run.value())
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(String.class)
                .one());
    }

    Optional<ReplayRun> find(Tx tx, ReplayRunId run) {
        return tx.query(RUN)
                .bind("run", run.value())
                .map((row, context) -> run(run, row))
                .findOne();
    }

    private static ReplayRun run(ReplayRunId id, ResultSet row) throws SQLException {
        return new ReplayRun(
                id,
                ReplayRun.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getLong("letters"),
                row.getLong("replayed"),
                Duration.ofNanos((long) (row.getDouble("wait") * 1e9)));
    }

    private static LetterGroupReport group(ResultSet row) throws SQLException {
        UUID run = row.getObject("replay_run_id", UUID.class);
        return new LetterGroupReport(
                new LetterGroup(row.getString("job_kind"), row.getString("fingerprint")),
                row.getString("event_domain"),
                row.getString("error_class"),
                row.getString("sample_error"),
                new JobDeadLetterId(row.getObject("last_letter", UUID.class)),
                new LetterGroupReport.Counts(
                        row.getLong("open_count"),
                        row.getLong("new_count"),
                        row.getLong("investigating_count"),
                        row.getLong("manual_replay_count")),
                row.getString("first_failed_at"),
                row.getString("last_failed_at"),
                run == null ? null : new ReplayRunId(run));
    }

    private static JobDeadLetter letter(ResultSet row) throws SQLException {
        UUID replayedAs = row.getObject("replayed_as", UUID.class);
        UUID replayRun = row.getObject("replay_run_id", UUID.class);
        return new JobDeadLetter(
                new JobDeadLetterId(row.getObject("dead_letter_id", UUID.class)),
                new JobId(row.getObject("job_id", UUID.class)),
                new LetterGroup(row.getString("job_kind"), row.getString("fingerprint")),
                row.getString("event_domain"),
                new JobDeadLetter.Failure(
                        row.getInt("attempts"),
                        row.getInt("max_attempts"),
                        row.getString("error_class"),
                        row.getString("last_error"),
                        row.getString("last_failed_at")),
                new JobDeadLetter.Origin(
                        row.getString("enqueued_at"),
                        row.getInt("priority"),
                        row.getString("idempotency_key"),
                        row.getString("run_id"),
                        row.getString("payload")),
                new JobDeadLetter.Decision(
                        Triage.of(row.getString("triage_status")),
                        row.getString("triaged_by"),
                        row.getString("triaged_at"),
                        row.getString("triage_note"),
                        row.getString("resolved_at"),
                        replayedAs == null ? null : new JobId(replayedAs),
                        row.getString("authorization_source"),
                        replayRun == null ? null : new ReplayRunId(replayRun)));
    }
}
