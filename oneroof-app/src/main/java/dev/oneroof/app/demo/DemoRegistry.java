package dev.oneroof.app.demo;

import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.RoleNames;
import java.time.Duration;

/**
 * The registries of an imaginary company: births over many collections, a changelog, owners and policies. Row number i is
 * made from the seed and i alone, and how far the filling has come is committed with the rows; so a filling that was cut
 * off continues where it was.
 */
final class DemoRegistry {
    static final String SOURCE = "birth_registry";

    private final Database db;
    private final RoleNames roles;

    DemoRegistry(Database db, RoleNames roles) {
        this.db = db;
        this.roles = roles;
    }

    static TailSource births() {
        return TailSource.of(SOURCE, "oneroof_demo", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(5000)
                .polledEvery(Duration.ofMillis(500));
    }

    /** Makes the tables where they are missing; refuses those that another seed has filled. */
    void create(long rows, long seed) {
        db.useTx(tx -> {
            tx.update(DemoSql.LOCK).execute();
            // Once they are there, not even CREATE … IF NOT EXISTS: it locks them, and another demo may be writing.
            if (!tx.query(DemoSql.IS_THERE).mapTo(Boolean.class).one()) {
                tx.update(DemoSql.SCHEMA).execute();
                DemoSql.TABLES.forEach(table -> tx.update(table).execute());
                tx.update(DemoSql.grants(roles)).execute();
            }
            tx.update(DemoSql.PLAN).bind("rows", rows).bind("seed", seed).execute();
            demandSeed(tx, seed);
            tx.update(DemoSql.COLLECTIONS).execute();
            tx.update(DemoSql.OWNERS).execute();
            tx.update(DemoSql.POLICIES).execute();
        });
    }

    private static void demandSeed(Tx tx, long seed) {
        long filledWith = tx.query(DemoSql.SEED).mapTo(Long.class).one();
        if (filledWith != seed) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "--seed: '%d' does not match: these registries were filled with seed %d; use that seed, or another --home"
                            .formatted(seed, filledWith));
        }
    }

    long filled() {
        return db.inTx(tx -> tx.query(DemoSql.FILLED).mapTo(Long.class).one());
    }

    /** Adds the next rows up to the target, at most so many in one transaction, and returns how many there are now. */
    long fillUpTo(long target, int atMost) {
        return db.inTx(tx -> {
            tx.update(DemoSql.ADVANCE)
                    .bind("target", target)
                    .bind("at_most", atMost)
                    .execute();
            tx.update(DemoSql.BIRTHS).execute();
            tx.update(DemoSql.CHANGES).execute();
            return tx.query(DemoSql.FILLED).mapTo(Long.class).one();
        });
    }

    /** Brings so many new births into the world, now. */
    void bear(int births) {
        fillUpTo(Long.MAX_VALUE, births);
    }

    DemoCounts counts() {
        return db.inTx(tx -> tx.query(DemoSql.COUNTS)
                .map((row, context) -> new DemoCounts(
                        row.getLong("births"),
                        row.getLong("candidates"),
                        row.getLong("collections"),
                        row.getLong("changes"),
                        row.getLong("owners"),
                        row.getLong("policies")))
                .one());
    }

    /** True when the cursor has passed every birth there is. */
    boolean isCaughtUp(String worker) {
        return db.inTx(tx -> tx.query(DemoSql.CAUGHT_UP)
                .bind("worker", worker)
                .mapTo(Boolean.class)
                .findOne()
                .orElse(false));
    }

    /** Files, how many of them are marked, and how many jobs for them are alive. */
    DemoSummary.Files files() {
        return db.inTx(tx -> tx.query(DemoSql.FILES)
                .map((row, context) ->
                        new DemoSummary.Files(row.getLong("files"), row.getLong("marked"), row.getLong("jobs")))
                .one());
    }

    /** True while the worker's last beat says that a pass has failed. */
    boolean isFailing(String executor) {
        return db.inTx(tx -> tx.query(DemoSql.FAILING)
                .bind("executor", executor)
                .mapTo(Boolean.class)
                .findOne()
                .orElse(false));
    }
}
