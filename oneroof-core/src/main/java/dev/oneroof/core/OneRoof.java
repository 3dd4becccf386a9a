package dev.oneroof.core;

import dev.oneroof.core.tabletail.TailSpec;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.Workers;
import dev.oneroof.postgres.Database;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A running OneRoof inside a Java program.
 *
 * <pre>{@code
 * try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("billing-1"), dataSource)) {
 *     oneroof.tail(myTail).start();
 *     …
 * }
 * }</pre>
 *
 * <p>The schema must have been migrated. The data source stays the caller's to close.
 */
public final class OneRoof implements AutoCloseable {
    private final Wiring wiring;
    private final Workers workers;
    private final List<Worker> waiting = new ArrayList<>();

    private OneRoof(Wiring wiring, Workers workers) {
        this.wiring = wiring;
        this.workers = workers;
    }

    public static OneRoof open(RuntimeConfig config, DataSource dataSource) {
        Wiring wiring = new Wiring(config, dataSource);
        return new OneRoof(wiring, wiring.workers());
    }

    /** Adds a tail worker; it runs from {@link #start} on. Its source must be registered by then. */
    public OneRoof tail(TailSpec spec) {
        waiting.add(wiring.tailWorker(spec));
        return this;
    }

    public OneRoof start() {
        waiting.forEach(workers::start);
        waiting.clear();
        return this;
    }

    public Database database() {
        return wiring.database();
    }

    /** Drains: every batch that runs is finished, leases are given back. */
    @Override
    public void close() {
        workers.close();
    }
}
