package dev.oneroof.app.cli.worker;

import dev.oneroof.core.sqlworker.SqlWorker;
import java.time.Instant;
import java.util.List;

/** A worker that is a row, as the command prints it. */
record WorkerAnswer(
        String worker,
        String source,
        List<String> reading,
        String statement,
        long version,
        String actor,
        String reason,
        String dbUser,
        Instant updatedAt) {
    static WorkerAnswer of(SqlWorker worker) {
        return new WorkerAnswer(
                worker.scope().worker(),
                worker.scope().source(),
                worker.columns(),
                worker.statement(),
                worker.version(),
                worker.actor(),
                worker.reason(),
                worker.dbUser(),
                worker.updatedAt());
    }
}
