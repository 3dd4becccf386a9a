package dev.oneroof.bench.trials;

import dev.oneroof.core.job.Job;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.UserTx;
import java.time.Duration;
import java.util.List;

/**
 * What a trial of jobs works on: three kinds, and in a schema of their own what their handlers did and what was done to their
 * processes. An effect has no key: when it happens twice it leaves two rows. All times are the database's.
 */
record JobTables(String schema) {
    /** Its effect is in the transaction that ends the job. */
    static final String IN_TX = "trial_in_tx";
    /** Its effect is outside of it: in a transaction of its own, as it would be in another system. */
    static final String OUTSIDE = "trial_outside";
    /** At most one at a time, over all processes. */
    static final String SINGLE = "trial_single";

    static final List<String> KINDS = List.of(IN_TX, OUTSIDE, SINGLE);

    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int MOST_ATTEMPTS = 1000;

    private static final List<String> CREATE = List.of(
            "DROP SCHEMA IF EXISTS %1$s CASCADE",
            "CREATE SCHEMA %1$s", """
            CREATE TABLE %1$s.trial_in_tx (
                job_id  uuid NOT NULL,
                attempt integer NOT NULL,
                process text NOT NULL,
                at      timestamptz NOT NULL)
            """, "CREATE TABLE %1$s.trial_outside (LIKE %1$s.trial_in_tx)", """
            CREATE TABLE %1$s.trial_single (
                job_id  uuid NOT NULL,
                attempt integer NOT NULL,
                process text NOT NULL,
                mark    text NOT NULL,
                at      timestamptz NOT NULL,
                leased  bigint NOT NULL,
                valid   bigint NOT NULL)
            """, """
            CREATE TABLE %1$s.strike (
                no       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                process  text NOT NULL,
                blow     text NOT NULL,
                held     bigint NOT NULL,
                from_at  timestamptz NOT NULL,
                until_at timestamptz)
            """);

    private static final String NOTE = """
            INSERT INTO %1$s.%2$s (job_id, attempt, process, at) VALUES (:job, :attempt, :process, clock_timestamp())
            """;

    // With what one look at the queue shows just then.
    private static final String MARK = """
            INSERT INTO %1$s.trial_single (job_id, attempt, process, mark, at, leased, valid)
            SELECT :job, :attempt, :process, :mark, clock_timestamp(), count(*),
                   count(*) FILTER (WHERE lease_until > clock_timestamp())
            FROM oneroof.job_queue
            WHERE state = 'leased' AND job_kind = 'trial_single'
            """;

    private static final String STRUCK = """
            INSERT INTO %1$s.strike (process, blow, held, from_at)
            SELECT :process, :blow, count(*), clock_timestamp()
            FROM oneroof.job_queue
            WHERE state = 'leased' AND lease_owner = :process
            RETURNING no
            """;

    private static final String OVER = "UPDATE %1$s.strike SET until_at = clock_timestamp() WHERE no = :no";

    private static final String STALLED = """
            INSERT INTO %1$s.strike (process, blow, held, from_at, until_at)
            VALUES (:process, 'stall', 0, clock_timestamp() - make_interval(secs => :seconds), clock_timestamp())
            """;

    // Whose effects cannot be taken back.
    private static final String HOLDERS = """
            SELECT DISTINCT lease_owner
            FROM oneroof.job_queue
            WHERE state = 'leased' AND job_kind = 'trial_outside' AND lease_until > clock_timestamp()
            ORDER BY lease_owner
            """;

    private static final String ALIVE = "SELECT count(*) FROM oneroof.job_queue WHERE job_kind = ANY (:kinds)";

    private static final List<String> FORGET = List.of(
            "DELETE FROM oneroof.job_log WHERE job_id IN (SELECT job_id FROM oneroof.v_job WHERE job_kind = ANY (:kinds))",
            "DELETE FROM oneroof.job_dead_letter WHERE job_kind = ANY (:kinds)",
            "DELETE FROM oneroof.job_history WHERE job_kind = ANY (:kinds)",
            "DELETE FROM oneroof.job_queue WHERE job_kind = ANY (:kinds)",
            "DELETE FROM oneroof.job_kind WHERE job_kind = ANY (:kinds)");

    // And what they held last for all instances: whoever comes next registers it again.
    private static final String FORGET_PROCESSES = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE starts_with(executor_name, 'instance/' || :trial)
               OR starts_with(executor_name, 'jobs/' || :trial)
               OR starts_with(lease_owner, :trial)
            """;

    /** How the jobs are run: with attempts enough, and the next one soon. */
    static JobKind kind(String name, Duration lease) {
        JobKind kind = JobKind.named(name)
                .describedAs("of a trial")
                .triedUpTo(MOST_ATTEMPTS)
                .backingOff(Duration.ofMillis(50), Duration.ofMillis(500))
                .leasedFor(lease)
                .doneWithin(DEADLINE);
        return name.equals(SINGLE) ? kind.atMostAtOnce(1) : kind;
    }

    void create(Database owner, String serverRole) {
        String server = Identifiers.quote("role", serverRole);
        owner.useTx(tx -> {
            CREATE.forEach(statement -> tx.update(statement.formatted(schema)).execute());
            tx.update("GRANT USAGE ON SCHEMA %s TO %s".formatted(schema, server))
                    .execute();
            tx.update("GRANT INSERT ON ALL TABLES IN SCHEMA %s TO %s".formatted(schema, server))
                    .execute();
        });
    }

    /** The effect of a job of one of the first two kinds. */
    void note(UserTx tx, Job job, String process) {
        tx.update(NOTE.formatted(schema, job.kind()))
                .bind("job", job.id().value())
                .bind("attempt", job.attempt())
                .bind("process", process)
                .execute();
    }

    /** That a handler of the third kind has begun, or is about to end. */
    void mark(UserTx tx, Job job, String process, String mark) {
        tx.update(MARK.formatted(schema))
                .bind("job", job.id().value())
                .bind("attempt", job.attempt())
                .bind("process", process)
                .bind("mark", mark)
                .execute();
    }

    /** To be told before the blow; returns its number. */
    long struck(Database owner, String process, Blow blow) {
        return owner.inTx(tx -> tx.query(STRUCK.formatted(schema))
                .bind("process", process)
                .bind("blow", blow.word())
                .mapTo(Long.class)
                .one());
    }

    /** To be told once the process is dead, or goes on. */
    void over(Database owner, long strike) {
        owner.useTx(tx -> tx.update(OVER.formatted(schema)).bind("no", strike).execute());
    }

    /** That a process stood still for so long until now, and nobody had struck it. */
    void stalled(Tx tx, String process, Duration time) {
        tx.update(STALLED.formatted(schema))
                .bind("process", process)
                .bind("seconds", time.toMillis() / 1000.0)
                .execute();
    }

    /** Who holds jobs just now. */
    List<String> holders(Database owner) {
        return owner.inTx(tx -> tx.query(HOLDERS).mapTo(String.class).list());
    }

    /** How many jobs have not ended. */
    long alive(Database owner) {
        return owner.inTx(tx -> tx.query(ALIVE)
                .bindArray("kinds", String.class, KINDS)
                .mapTo(Long.class)
                .one());
    }

    void forget(Database owner) {
        owner.useTx(tx -> {
            FORGET.forEach(statement ->
                    tx.update(statement).bindArray("kinds", String.class, KINDS).execute());
            tx.update(FORGET_PROCESSES).bind("trial", schema + "-").execute();
            tx.update("DROP SCHEMA IF EXISTS %s CASCADE".formatted(schema)).execute();
        });
    }
}
