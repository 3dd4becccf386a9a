package dev.oneroof.app.host;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import java.util.List;

/**
 * One running instance over an open database: the pool, the runtime and its features. The server, the demo and single runs
 * are all made here, so that a setting reaches each of them.
 */
public final class Host implements AutoCloseable {
    private final HikariDataSource pool;
    private final OneRoof runtime;

    private Host(HikariDataSource pool, OneRoof runtime) {
        this.pool = pool;
        this.runtime = runtime;
    }

    /** Refuses a schema that is not current. Nothing runs before {@link #runtime} is started. */
    public static Host open(AppConfig config, OpenDatabase database, String instance, List<Feature> features) {
        SchemaAccess.demandCurrent(config, database);
        HikariDataSource pool = Connections.pool(
                database.address(),
                "oneroof",
                config.schema().roles().server(),
                config.poolSize(),
                // Less than the lease time: what a frozen process has locked must not stop its successor.
                config.leaseTime().multipliedBy(2).dividedBy(3));
        try {
            RuntimeConfig runtime = RuntimeConfig.named(instance)
                    .withSchema(config.schema().schema())
                    .withLoop(loop(config));
            return new Host(pool, OneRoof.open(runtime, pool).with(features));
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private static LoopConfig loop(AppConfig config) {
        LoopConfig usual = LoopConfig.DEFAULT;
        return new LoopConfig(config.leaseTime(), usual.beatInterval(), usual.gateInterval(), usual.longestBackoff());
    }

    public OneRoof runtime() {
        return runtime;
    }

    public Database database() {
        return runtime.database();
    }

    /** Drains the runtime, then closes the pool. */
    @Override
    public void close() {
        try {
            runtime.close();
        } finally {
            pool.close();
        }
    }
}
