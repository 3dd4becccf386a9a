package dev.oneroof.core.lease;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Leases and beats, in {@code queue_heartbeat}.
 *
 * <p>Time alone cannot separate two owners: a process that was frozen continues where it was, long after its lease expired. So
 * each claim draws an epoch, and the last statement of every working transaction is {@link #fence}, which finds the row only
 * under its own owner and epoch and keeps it locked until the commit. Either the fence is first, and the claim skips the
 * locked row; or the claim is first, and the fence finds nothing and the work is rolled back. Expiry only decides when another
 * instance may claim.
 *
 * <p>Only the database's clock is used, so that skewed machines agree. Every method touches this one table; batches lock
 * effects, then the cursor, then the lease, in this order.
 */
public final class LeaseStore {
    private static final int LONGEST_REASON = 500;

    // NOT EXISTS first: on a row that a frozen owner has changed, ON CONFLICT would wait for that owner.
    private static final String REGISTER = """
            INSERT INTO oneroof.queue_heartbeat
                (executor_name, executor_kind, expected_cadence_seconds, stale_threshold_seconds, registered_by)
            SELECT :executor, 'PG_worker', :cadence, :threshold, :owner
            WHERE NOT EXISTS (SELECT FROM oneroof.queue_heartbeat WHERE executor_name = :executor)
            ON CONFLICT (executor_name) DO NOTHING
            """;

    // SKIP LOCKED: a frozen owner may hold the row inside its transaction, and no claim may wait for it.
    // An owner may claim again what it holds: a restarted instance resumes at once, under a new epoch.
    // A lease that ends minutes later than any could was written by a clock that has stepped back since.
    // A scope that was not released is taken over. The times of recent takeovers are kept: they show an ownership that
    // flaps,
    // also between two processes of the same name.
    private static final String CLAIM = """
            WITH free AS (
                SELECT executor_name, lease_epoch, lease_owner, lease_until
                FROM oneroof.queue_heartbeat
                WHERE executor_name = :executor
                  AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until < clock_timestamp()
                       OR lease_until > clock_timestamp() + make_interval(secs => :ttl + 300))
                FOR NO KEY UPDATE SKIP LOCKED
            )
            UPDATE oneroof.queue_heartbeat h
            SET lease_owner = :owner,
                lease_until = clock_timestamp() + make_interval(secs => :ttl),
                lease_epoch = nextval('oneroof.lease_epoch_seq'::regclass),
                metadata = CASE
                    WHEN free.lease_owner <> :owner OR free.lease_until > clock_timestamp() THEN h.metadata || jsonb_build_object('taken_over_at', (
                        SELECT jsonb_agg(t.at)
                        FROM (SELECT clock_timestamp() AS at
                              UNION ALL
                              (SELECT CAST(e AS timestamptz)
                               FROM jsonb_array_elements_text(h.metadata -> 'taken_over_at') e
                               ORDER BY 1 DESC
                               LIMIT 19)) t))
                    ELSE h.metadata
                END,
                updated_at = clock_timestamp()
            FROM free
            WHERE h.executor_name = free.executor_name
            RETURNING h.lease_epoch, coalesce(free.lease_epoch, 0) AS old_epoch,
                      free.lease_owner <> :owner AS taken_over
            """;

    // A session has the epoch it works under in its name. The previous owner may be frozen inside a transaction, and
    // our first
    // batch would wait for the keys it has written. A login may end its own sessions.
    private static final String END_SESSIONS = """
            SELECT count(pg_terminate_backend(pid))
            FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database()
              AND usename = session_user
              AND pid <> pg_backend_pid()
              AND application_name = oneroof.fn_session_name(:epoch)
            """;

    // One write renews and beats, for any number of scopes. With the heartbeat gate closed the tick stays as it was and
    // the
    // lease is renewed; likewise for a beat that is not a sign of life. SKIP LOCKED: a locked row must not delay the
    // others.
    private static final String BEAT = """
            WITH due AS (
                SELECT d.executor_name, d.owner, d.epoch, d.ttl, d.status, d.doing, d.alive, d.reason, d.no
                FROM unnest(
                    CAST(:executors AS text[]), CAST(:owners AS text[]), CAST(CAST(:epochs AS text[]) AS bigint[]),
                    CAST(CAST(:ttls AS text[]) AS double precision[]), CAST(:statuses AS text[]), CAST(:doings AS text[]),
                    CAST(CAST(:alive AS text[]) AS boolean[]), CAST(:reasons AS text[]))
                    WITH ORDINALITY AS d (executor_name, owner, epoch, ttl, status, doing, alive, reason, no)
            ), gate AS MATERIALIZED (
                SELECT oneroof.fn_gate_open('queue.heartbeat.enabled') AS open
            ), free AS MATERIALIZED (
                SELECT h.executor_name
                FROM due d
                JOIN oneroof.queue_heartbeat h
                  ON h.executor_name = d.executor_name AND h.lease_owner = d.owner AND h.lease_epoch = d.epoch
                FOR NO KEY UPDATE OF h SKIP LOCKED
            ), renewed AS (
                UPDATE oneroof.queue_heartbeat h
                SET lease_until = clock_timestamp() + make_interval(secs => d.ttl),
                    last_tick_at = CASE WHEN g.open AND d.alive THEN clock_timestamp() ELSE h.last_tick_at END,
                    last_tick_status = CASE WHEN g.open THEN d.status ELSE h.last_tick_status END,
                    ticks_total = h.ticks_total + CASE WHEN g.open AND d.alive THEN 1 ELSE 0 END,
                    last_beat_payload = CASE WHEN g.open THEN jsonb_build_object(
                        'doing', d.doing, 'reason', d.reason,
                        'since', CASE
                            WHEN h.last_beat_payload ->> 'doing' = d.doing AND jsonb_exists(h.last_beat_payload, 'since')
                            THEN h.last_beat_payload -> 'since'
                            ELSE to_jsonb(extract(epoch FROM clock_timestamp()))
                        END) ELSE h.last_beat_payload END,
                    updated_at = clock_timestamp()
                FROM due d
                JOIN free f USING (executor_name)
                CROSS JOIN gate g
                WHERE h.executor_name = d.executor_name
                RETURNING h.executor_name
            )
            SELECT CASE
                       WHEN r.executor_name IS NOT NULL THEN 'HELD'
                       WHEN EXISTS (
                           SELECT FROM oneroof.queue_heartbeat h
                           WHERE h.executor_name = d.executor_name AND h.lease_owner = d.owner AND h.lease_epoch = d.epoch)
                       THEN 'BUSY'
                       ELSE 'LOST'
                   END
            FROM due d
            LEFT JOIN renewed r USING (executor_name)
            ORDER BY d.no
            """;

    // No beat and no renewal: the lease expires, and another instance may succeed.
    private static final String STUCK = """
            UPDATE oneroof.queue_heartbeat h
            SET last_tick_status = 'error',
                last_beat_payload = jsonb_build_object(
                    'doing', 'stuck', 'reason', CAST(:reason AS text), 'since', extract(epoch FROM clock_timestamp())),
                updated_at = clock_timestamp()
            FROM (SELECT executor_name
                  FROM oneroof.queue_heartbeat
                  WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch
                    AND oneroof.fn_gate_open('queue.heartbeat.enabled')
                  FOR NO KEY UPDATE SKIP LOCKED) o
            WHERE h.executor_name = o.executor_name
            """;

    // A lock and no new row version: there may be hundreds of batches a second.
    private static final String FENCE = """
            SELECT 1
            FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch
            FOR NO KEY UPDATE
            """;

    private static final String TAKEN_OVER = """
            SELECT count(*)
            FROM oneroof.queue_heartbeat h, jsonb_array_elements_text(h.metadata -> 'taken_over_at') t (at)
            WHERE h.executor_name = :executor
              AND CAST(t.at AS timestamptz) > clock_timestamp() - make_interval(secs => :seconds)
            """;

    private static final String IS_KNOWN =
            "SELECT EXISTS (SELECT FROM oneroof.queue_heartbeat WHERE executor_name = :executor)";

    private static final String OWNER = """
            SELECT lease_owner
            FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor AND lease_until > clock_timestamp()
            """;

    private static final String RELEASE = """
            UPDATE oneroof.queue_heartbeat
            SET lease_owner = NULL, lease_until = NULL, updated_at = clock_timestamp()
            WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch
            """;

    private static final String REMOVE = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch
            """;

    /** Registers the scope; returns 0 when it is registered already. */
    public int register(Tx tx, Scope scope, String owner, Duration cadence, Duration threshold) {
        return tx.update(REGISTER)
                .bind("executor", scope.executorName())
                .bind("cadence", cadence.toSeconds())
                .bind("threshold", threshold.toSeconds())
                .bind("owner", owner)
                .execute();
    }

    /** How often in this time the scope was taken over from an owner that had not released it; counted up to 20. */
    public long takenOver(Tx tx, Scope scope, Duration within) {
        return tx.query(TAKEN_OVER)
                .bind("executor", scope.executorName())
                .bind("seconds", seconds(within))
                .mapTo(Long.class)
                .one();
    }

    /** Whether the scope is registered. */
    public boolean isKnown(Tx tx, Scope scope) {
        return tx.query(IS_KNOWN)
                .bind("executor", scope.executorName())
                .mapTo(Boolean.class)
                .one();
    }

    /** The instance that holds the scope now. */
    public Optional<String> owner(Tx tx, Scope scope) {
        return tx.query(OWNER)
                .bind("executor", scope.executorName())
                .mapTo(String.class)
                .findOne();
    }

    public Claim claim(Tx tx, Scope scope, String owner, Duration timeToLive) {
        return tx.query(CLAIM)
                .bind("executor", scope.executorName())
                .bind("owner", owner)
                .bind("ttl", seconds(timeToLive))
                .<Claim>map((row, context) -> new Claim.Taken(
                        new Lease(scope, owner, new Epoch(row.getLong("lease_epoch")), timeToLive),
                        new Epoch(row.getLong("old_epoch")),
                        row.getBoolean("taken_over")))
                .findOne()
                .orElseGet(Claim.Denied::new);
    }

    /** Ends the sessions that still work under an earlier epoch, and returns how many there were. */
    public long endSessions(Tx tx, Epoch over) {
        // As the login itself: the role that the program acts as may not end sessions.
        tx.update("SET LOCAL ROLE NONE").execute();
        return tx.query(END_SESSIONS)
                .bind("epoch", over.value())
                .mapTo(Long.class)
                .one();
    }

    /** Renews the lease and records what the worker is doing: an address or a word, never contents. */
    public Renewal beat(Tx tx, Lease lease, Beat beat) {
        return beatAll(tx, List.of(new LeaseBeat(lease, beat))).getFirst();
    }

    /** As {@link #beat}, for several scopes in one statement; the renewals are in the order of the beats. */
    public List<Renewal> beatAll(Tx tx, List<LeaseBeat> beats) {
        return tx.query(BEAT)
                .bind("executors", texts(beats, due -> due.lease().scope().executorName()))
                .bind("owners", texts(beats, due -> due.lease().owner()))
                .bind(
                        "epochs",
                        texts(beats, due -> Long.toString(due.lease().epoch().value())))
                .bind(
                        "ttls",
                        texts(beats, due -> Double.toString(seconds(due.lease().timeToLive()))))
                .bind("statuses", texts(beats, due -> due.beat().status().sql()))
                .bind("doings", texts(beats, due -> due.beat().activity().sql()))
                .bind("alive", texts(beats, due -> Boolean.toString(due.beat().isSignOfLife())))
                .bind("reasons", texts(beats, due -> shortened(due.beat().reason())))
                .mapTo(String.class)
                .map(Renewal::valueOf)
                .list();
    }

    private static String[] texts(List<LeaseBeat> beats, Function<LeaseBeat, String> text) {
        return beats.stream().map(text).toArray(String[]::new);
    }

    /** The last statement before a commit. {@link Renewal#LOST} means: roll back. */
    public Renewal fence(Tx tx, Lease lease) {
        return tx.query(FENCE)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .mapTo(Integer.class)
                .findOne()
                .map(found -> Renewal.HELD)
                .orElse(Renewal.LOST);
    }

    public int release(Tx tx, Lease lease) {
        return tx.update(RELEASE)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .execute();
    }

    /** Releases and deregisters the scope. */
    public int remove(Tx tx, Lease lease) {
        return tx.update(REMOVE)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .execute();
    }

    /** Records that the owner's process is alive and its pass does not end. False where it could not be written. */
    public boolean stuck(Tx tx, Lease lease, String reason) {
        return tx.update(STUCK)
                        .bind("executor", lease.scope().executorName())
                        .bind("owner", lease.owner())
                        .bind("epoch", lease.epoch().value())
                        .bind("reason", shortened(reason))
                        .execute()
                == 1;
    }

    /** A beat is a signal of bounded size; and PostgreSQL stores no NUL in a text. */
    private static String shortened(String reason) {
        String plain = reason.replace('\0', ' ');
        return plain.length() <= LONGEST_REASON ? plain : plain.substring(0, LONGEST_REASON);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
