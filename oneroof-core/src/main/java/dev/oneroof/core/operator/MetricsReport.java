package dev.oneroof.core.operator;

import dev.oneroof.postgres.Database;

/** Reads the figures for a monitor. */
public final class MetricsReport {
    private final Database db;
    private final MetricsStore store = new MetricsStore();

    public MetricsReport(Database db) {
        this.db = db;
    }

    public MetricsView view() {
        return db.inTx(tx -> new MetricsView(store.cursors(tx), store.jobs(tx)));
    }
}
