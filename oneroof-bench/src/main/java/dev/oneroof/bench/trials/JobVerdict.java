package dev.oneroof.bench.trials;

import dev.oneroof.bench.Figure;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds what the handlers of a trial's jobs did against what the history says of the jobs, and against what was done to the
 * processes.
 *
 * <p>Every effect bears its attempt and its process; the history says in which attempt and by whose lease a job ended. An
 * effect of any other attempt is a duplicate. It is explained when its process was killed or frozen, or stood still by itself
 * for long enough, and that near in time: no more than a lease's time after the effect (what was written longer before had
 * been told long since), and no more than that before it, since who was frozen may write when it goes on. Where the history
 * still knows how the attempt ended, it must say that the lease of that very process ran out.
 */
final class JobVerdict {
    private static final String ENDED = """
            SELECT count(*) FILTER (WHERE h.state = 'succeeded') AS succeeded,
                   count(*) FILTER (WHERE h.state <> 'succeeded') AS otherwise,
                   count(*) - count(DISTINCT h.job_id) AS twice,
                   count(*) FILTER (WHERE h.last_error LIKE 'lease_expired: %') AS ran_out,
                   (SELECT count(*) FROM oneroof.job_queue q WHERE q.job_kind = :kind) AS alive
            FROM oneroof.job_history h
            WHERE h.job_kind = :kind
            """;

    private static final String EFFECTS = """
            WITH ended AS MATERIALIZED (
                SELECT job_id, attempts, lease_owner, last_error
                FROM oneroof.job_history
                WHERE job_kind = :kind AND state = 'succeeded'
            ), effects AS MATERIALIZED (
                SELECT job_id, attempt, process, at, count(*) OVER (PARTITION BY job_id, attempt) AS of_attempt
                FROM %1$s.%2$s
            ), others AS MATERIALIZED (
                SELECT f.job_id, f.attempt, f.process, f.of_attempt, e.attempts, e.last_error, s.blow
                FROM effects f
                LEFT JOIN ended e USING (job_id)
                LEFT JOIN LATERAL (
                    SELECT k.blow
                    FROM %1$s.strike k
                    WHERE k.process = f.process
                      AND f.at >= k.from_at - make_interval(secs => :lease)
                      AND f.at <= coalesce(k.until_at, 'infinity')
                                  + CASE k.blow WHEN 'kill' THEN interval '0' ELSE make_interval(secs => :lease) END
                    ORDER BY k.blow = 'stall', k.no
                    LIMIT 1) s ON true
                WHERE (f.attempt, f.process) IS DISTINCT FROM (e.attempts, e.lease_owner))
            SELECT (SELECT count(*)
                    FROM ended e
                    WHERE NOT EXISTS (
                        SELECT FROM effects f
                        WHERE f.job_id = e.job_id AND f.attempt = e.attempts AND f.process = e.lease_owner)) AS lost,
                   (SELECT coalesce(sum(t.times - 1), 0)
                    FROM (SELECT count(*) AS times FROM effects GROUP BY job_id) t) AS twice,
                   (SELECT count(*) FROM others) AS of_others,
                   (SELECT count(*) FROM others o WHERE o.blow = 'kill') AS by_kill,
                   (SELECT count(*) FROM others o WHERE o.blow = 'stop') AS by_stop,
                   (SELECT count(*) FROM others o WHERE o.blow = 'stall') AS by_stall,
                   (SELECT count(*) FROM effects WHERE of_attempt > 1)
                   + (SELECT count(*)
                      FROM others o
                      WHERE o.blow IS NULL OR o.attempts IS NULL OR o.attempt >= o.attempts
                         OR o.attempt = o.attempts - 1
                            AND NOT coalesce(
                                starts_with(o.last_error, format('lease_expired: the lease of ''%%s'' ran out', o.process)),
                                false)) AS unexplained
            """;

    // From before a handler began until after it had ended its job was leased: so no two of those that ended well
    // overlap.
    private static final String OVERLAPS = """
            SELECT count(*)
            FROM (
                SELECT b.at < max(f.at) OVER (ORDER BY b.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS early
                FROM oneroof.job_history h
                JOIN %1$s.trial_single b ON (b.job_id, b.attempt, b.process, b.mark) = (h.job_id, h.attempts, h.lease_owner, 'begun')
                JOIN %1$s.trial_single f ON (f.job_id, f.attempt, f.process, f.mark) = (h.job_id, h.attempts, h.lease_owner, 'ended')
                WHERE h.job_kind = 'trial_single' AND h.state = 'succeeded') o
            WHERE early
            """;

    private static final String MOST_VALID = "SELECT coalesce(max(valid), 0) FROM %1$s.trial_single";

    private static final String MOST_LEASED = "SELECT coalesce(max(leased), 0) FROM %1$s.trial_single";

    private static final String DEAD =
            "SELECT count(*) FROM oneroof.job_dead_letter WHERE starts_with(job_kind, 'trial_')";

    // Told by the last error of a job.
    private static final String TAKEN_FROM_OTHERS = """
            SELECT count(*)
            FROM oneroof.job_history h
            WHERE starts_with(h.job_kind, 'trial_')
              AND h.last_error LIKE 'lease_expired: %%'
              AND NOT EXISTS (
                  SELECT FROM %1$s.strike s
                  WHERE starts_with(h.last_error, format('lease_expired: the lease of ''%%s'' ran out', s.process)))
            """;

    private static final String STRIKES = "SELECT count(*) FROM %1$s.strike WHERE blow = :blow";

    // Not those that were frozen just then.
    private static final String STALLS = """
            SELECT count(*)
            FROM %1$s.strike s
            WHERE blow = 'stall'
              AND NOT EXISTS (
                  SELECT FROM %1$s.strike k
                  WHERE k.process = s.process AND k.blow = 'stop'
                    AND (k.from_at, coalesce(k.until_at, 'infinity')) OVERLAPS (s.from_at, s.until_at))
            """;

    private static final String HELD = "SELECT coalesce(sum(held), 0) FROM %1$s.strike";

    private final JobTables tables;
    private final Database owner;
    private final Duration lease;

    JobVerdict(JobTables tables, Database owner, Duration lease) {
        this.tables = tables;
        this.owner = owner;
        this.lease = lease;
    }

    /** @param enqueued how many there were of each kind, in the order of {@link JobTables#KINDS} */
    List<Figure> figures(List<Long> enqueued) {
        return owner.inTx(tx -> {
            List<Figure> figures = new ArrayList<>();
            for (int n = 0; n < enqueued.size(); n++) {
                figures.addAll(ended(tx, JobTables.KINDS.get(n), enqueued.get(n)));
            }
            figures.add(Figure.exactly(
                    "jobs that were taken from a holder that never stood still", count(tx, TAKEN_FROM_OTHERS), 0));
            figures.add(Figure.exactly("dead letters", count(tx, DEAD), 0));
            figures.addAll(inTx(effects(tx, JobTables.IN_TX)));
            figures.addAll(outside(effects(tx, JobTables.OUTSIDE)));
            figures.addAll(single(tx));
            return figures;
        });
    }

    private record Ended(long succeeded, long otherwise, long twice, long ranOut, long alive) {}

    private static List<Figure> ended(Tx tx, String kind, long enqueued) {
        Ended ended = tx.query(ENDED)
                .bind("kind", kind)
                .map((row, context) -> new Ended(
                        row.getLong("succeeded"),
                        row.getLong("otherwise"),
                        row.getLong("twice"),
                        row.getLong("ran_out"),
                        row.getLong("alive")))
                .one();
        String name = kind.substring("trial_".length()).replace('_', ' ');
        return List.of(
                Figure.exactly(name + ": jobs that succeeded", ended.succeeded(), enqueued),
                Figure.exactly(name + ": jobs that ended otherwise", ended.otherwise(), 0),
                Figure.exactly(name + ": jobs that ended twice", ended.twice(), 0),
                Figure.exactly(name + ": jobs that have not ended", ended.alive(), 0),
                Figure.told(name + ": jobs that were taken from a holder", (double) ended.ranOut(), null));
    }

    private record Effects(
            long lost, long twice, long ofOthers, long byKill, long byStop, long byStall, long unexplained) {}

    private Effects effects(Tx tx, String kind) {
        return tx.query(EFFECTS.formatted(tables.schema(), kind))
                .bind("kind", kind)
                .bind("lease", lease.toMillis() / 1000.0)
                .map((row, context) -> new Effects(
                        row.getLong("lost"),
                        row.getLong("twice"),
                        row.getLong("of_others"),
                        row.getLong("by_kill"),
                        row.getLong("by_stop"),
                        row.getLong("by_stall"),
                        row.getLong("unexplained")))
                .one();
    }

    private static List<Figure> inTx(Effects effects) {
        return List.of(
                Figure.exactly("in tx: effects that are missing", effects.lost(), 0),
                Figure.exactly("in tx: effects that happened twice", effects.twice(), 0),
                Figure.exactly("in tx: effects of another than ended the job", effects.ofOthers(), 0));
    }

    private static List<Figure> outside(Effects effects) {
        return List.of(
                Figure.exactly("outside: effects that are missing", effects.lost(), 0),
                Figure.told("outside: effects that happened again", (double) effects.twice(), null),
                Figure.told("outside: of attempts that were killed", (double) effects.byKill(), null),
                Figure.told("outside: of attempts that were frozen", (double) effects.byStop(), null),
                Figure.told("outside: of attempts that stood still by themselves", (double) effects.byStall(), null),
                Figure.exactly("outside: duplicates that no crash explains", effects.unexplained(), 0));
    }

    private List<Figure> single(Tx tx) {
        return List.of(
                Figure.exactly("limit 1: handlers that overlapped", count(tx, OVERLAPS), 0),
                Figure.atMost("limit 1: valid leases seen by handlers, most", (double) count(tx, MOST_VALID), 1),
                Figure.atMost(
                        "limit 1: leases seen by handlers, valid or not, most", (double) count(tx, MOST_LEASED), 1));
    }

    /** How often it was done. */
    long strikes(Blow blow) {
        return owner.inTx(tx -> tx.query(STRIKES.formatted(tables.schema()))
                .bind("blow", blow.word())
                .mapTo(Long.class)
                .one());
    }

    /** How often a process stood still though nobody had struck it. */
    long stalls() {
        return owner.inTx(tx -> count(tx, STALLS));
    }

    /** How many jobs were with a process that was struck. */
    long held() {
        return owner.inTx(tx -> count(tx, HELD));
    }

    private long count(Tx tx, String sql) {
        return tx.query(sql.formatted(tables.schema())).mapTo(Long.class).one();
    }
}
