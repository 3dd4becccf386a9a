package dev.oneroof.core.lease;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Optional;

/**
 * Leases and beats, in {@code queue_heartbeat}.
 *
 * <p>Time alone cannot keep two owners apart: a process that was frozen wakes up and goes on where it was, long after
 * its lease ran out. So each claim draws an epoch, and the last statement of every working transaction is {@link
 * #fence}, which finds the row only under its own owner and epoch and keeps it locked until the commit. Either the fence
 * comes first, then a claim passes over the locked row; or the claim comes first, then the fence finds nothing and the
 * work is rolled back. Expiry only decides when somebody else may try.
 *
 * <p>Only the database's clock is asked, so that skewed machines agree. Every method touches this one table; batches
 * lock effects, then the cursor, then the lease, in this order.
 */
public final class LeaseStore {
    private static final int LONGEST_REASON = 500;

    // Looked for first: against a row that a frozen owner is just changing, ON CONFLICT would wait for that owner.
    private static final String REGISTER = """
            INSERT INTO oneroof.queue_heartbeat
                (executor_name, executor_kind, expected_cadence_seconds, stale_threshold_seconds, registered_by)
            SELECT :executor, 'PG_worker', :cadence, :threshold, :owner
            WHERE NOT EXISTS (SELECT FROM oneroof.queue_heartbeat WHERE executor_name = :executor)
            ON CONFLICT (executor_name) DO NOTHING
            """;

    // SKIP LOCKED: a frozen owner may hold the row inside its transaction, and nobody should wait for it.
    // An owner may claim again what it holds: that is how a restarted instance comes back at once, under a new epoch.
    // One that lies minutes beyond what anybody is given is of a clock that has gone back since.
    // What was not given back is taken over, and when that happened lately is kept: an ownership that flaps is told by
    // it, also between two processes that bear the same name.
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
            RETURNING h.lease_epoch, coalesce(free.lease_epoch, 0) AS old_epoch
            """;

    // A session works under an epoch and says so in its name. The owner before us may be frozen inside a transaction,
    // and our first batch would wait on the keys it has written. One may end the sessions of one's own login.
    private static final String END_SESSIONS = """
            SELECT count(pg_terminate_backend(pid))
            FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database()
              AND usename = session_user
              AND pid <> pg_backend_pid()
              AND application_name = oneroof.fn_session_name(:epoch)
            """;

    // One write renews and beats. With the heartbeat gate closed the tick stays as it was and the lease goes on;
    // likewise
    // where it is no sign of life. Nobody waits for who has locked the row: there are others to beat for.
    private static final String BEAT = """
            UPDATE oneroof.queue_heartbeat h
            SET lease_until = clock_timestamp() + make_interval(secs => :ttl),
                last_tick_at = CASE WHEN g.open AND :alive THEN clock_timestamp() ELSE last_tick_at END,
                last_tick_status = CASE WHEN g.open THEN :status ELSE last_tick_status END,
                ticks_total = ticks_total + CASE WHEN g.open AND :alive THEN 1 ELSE 0 END,
                last_beat_payload = CASE WHEN g.open THEN jsonb_build_object(
                    'doing', CAST(:doing AS text), 'reason', CAST(:reason AS text),
                    'since', CASE
                        WHEN last_beat_payload ->> 'doing' = :doing AND jsonb_exists(last_beat_payload, 'since')
                        THEN last_beat_payload -> 'since'
                        ELSE to_jsonb(extract(epoch FROM clock_timestamp()))
                    END) ELSE last_beat_payload END,
                updated_at = clock_timestamp()
            FROM (SELECT executor_name, oneroof.fn_gate_open('queue.heartbeat.enabled') AS open
                  FROM oneroof.queue_heartbeat
                  WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch
                  FOR NO KEY UPDATE SKIP LOCKED) g
            WHERE h.executor_name = g.executor_name
            """;

    private static final String IS_OURS = """
            SELECT EXISTS (
                SELECT FROM oneroof.queue_heartbeat
                WHERE executor_name = :executor AND lease_owner = :owner AND lease_epoch = :epoch)
            """;

    // No beat and no renewal: the lease runs out, and somebody else may have more luck with it.
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

    // A lock and no new row version: batches may come by the hundred a second.
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

    /** Makes the scope known; nothing happens when it is already. */
    public int register(Tx tx, Scope scope, String owner, Duration cadence, Duration threshold) {
        return tx.update(REGISTER)
                .bind("executor", scope.executorName())
                .bind("cadence", cadence.toSeconds())
                .bind("threshold", threshold.toSeconds())
                .bind("owner", owner)
                .execute();
    }

    /** How often in this time the scope was taken from an owner that had not given it back; counted up to 20. */
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

    /** Who holds the scope now. */
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
                        new Epoch(row.getLong("old_epoch"))))
                .findOne()
                .orElseGet(Claim.Denied::new);
    }

    /** Ends the sessions that still work under an epoch that is over, and returns how many there were. */
    public long endSessions(Tx tx, Epoch over) {
        // As the login itself: the role that the program acts as has no power over anybody's sessions.
        tx.update("SET LOCAL ROLE NONE").execute();
        return tx.query(END_SESSIONS)
                .bind("epoch", over.value())
                .mapTo(Long.class)
                .one();
    }

    /**
     * Renews the lease and says what the worker is doing: an address or a word, never contents. Where the row is locked it
     * is asked for once more, without a lock.
     */
    public Renewal beat(Tx tx, Lease lease, Beat beat) {
        int rows = tx.update(BEAT)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .bind("ttl", seconds(lease.timeToLive()))
                .bind("status", beat.status().sql())
                .bind("doing", beat.doing().sql())
                .bind("alive", beat.isSignOfLife())
                .bind("reason", shortened(beat.reason()))
                .execute();
        if (rows == 1) {
            return Renewal.HELD;
        }
        boolean isOurs = tx.query(IS_OURS)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .mapTo(Boolean.class)
                .one();
        return isOurs ? Renewal.BUSY : Renewal.LOST;
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

    /** Gives the scope back and has it forgotten. */
    public int remove(Tx tx, Lease lease) {
        return tx.update(REMOVE)
                .bind("executor", lease.scope().executorName())
                .bind("owner", lease.owner())
                .bind("epoch", lease.epoch().value())
                .execute();
    }

    /** The owner's process lives and its pass does not come to an end. False where it was not written down. */
    public boolean stuck(Tx tx, Lease lease, String reason) {
        return tx.update(STUCK)
                        .bind("executor", lease.scope().executorName())
                        .bind("owner", lease.owner())
                        .bind("epoch", lease.epoch().value())
                        .bind("reason", shortened(reason))
                        .execute()
                == 1;
    }

    /** A beat is a signal and has its size; and no text in the database holds a NUL. */
    private static String shortened(String reason) {
        String plain = reason.replace('\0', ' ');
        return plain.length() <= LONGEST_REASON ? plain : plain.substring(0, LONGEST_REASON);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
