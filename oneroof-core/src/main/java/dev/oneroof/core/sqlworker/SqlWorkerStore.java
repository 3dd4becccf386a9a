package dev.oneroof.core.sqlworker;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/** Workers that are rows, in {@code worker_definition}. */
public final class SqlWorkerStore {
    private static final String LIST = """
            SELECT worker_name, source_name, columns, statement, version, actor, reason, db_user, created_at, updated_at
            FROM oneroof.worker_definition
            ORDER BY worker_name COLLATE "C", source_name COLLATE "C"
            """;

    private static final String FIND = """
            SELECT worker_name, source_name, columns, statement, version, actor, reason, db_user, created_at, updated_at
            FROM oneroof.worker_definition
            WHERE worker_name = :worker AND source_name = :source
            """;

    private static final String DEFINE =
            "SELECT oneroof.fn_worker_define(:worker, :source, CAST(:columns AS text[]), :statement, :actor, :reason)";

    private static final String REDEFINE =
            "SELECT oneroof.fn_worker_redefine(:worker, :source, CAST(:columns AS text[]), :statement, :actor, :reason)";

    private static final String UNDEFINE =
            "SELECT oneroof.fn_worker_undefine(:worker, :source, :with_cursor, :actor, :reason)";

    // An instance that was slow to notice a removal has registered the scope again.
    private static final String FORGET_SCOPE = """
            DELETE FROM oneroof.queue_heartbeat h
            WHERE h.executor_name = :executor
              AND (h.lease_until IS NULL OR h.lease_until < clock_timestamp() OR h.lease_owner IS NULL)
              AND NOT EXISTS (
                  SELECT FROM oneroof.worker_definition d
                  WHERE d.worker_name = :worker AND d.source_name = :source)
            """;

    private static final String IS_LEFT = """
            SELECT EXISTS (SELECT FROM oneroof.queue_heartbeat h WHERE h.executor_name = :executor)
                   AND NOT EXISTS (
                       SELECT FROM oneroof.worker_definition d
                       WHERE d.worker_name = :worker AND d.source_name = :source)
            """;

    public List<SqlWorker> list(Tx tx) {
        return tx.query(LIST).map((row, context) -> worker(row)).list();
    }

    public Optional<SqlWorker> find(Tx tx, Scope scope) {
        return tx.query(FIND)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .map((row, context) -> worker(row))
                .findOne();
    }

    /** As an administrator; false where there is one of that name. */
    boolean define(Tx tx, SqlWorkerDraft draft, OperatorAct by) {
        return tx.query(DEFINE)
                .bind("worker", draft.scope().worker())
                .bind("source", draft.scope().source())
                .bind("columns", draft.columns().toArray(String[]::new))
                .bind("statement", draft.statement())
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Boolean.class)
                .one();
    }

    /** As an administrator; the new version, empty where there is no such worker. */
    Optional<Long> redefine(Tx tx, SqlWorkerDraft draft, OperatorAct by) {
        return tx.query(REDEFINE)
                .bind("worker", draft.scope().worker())
                .bind("source", draft.scope().source())
                .bind("columns", draft.columns().toArray(String[]::new))
                .bind("statement", draft.statement())
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Long.class)
                .findOne();
    }

    /** As an administrator; false where there is no such worker. */
    boolean undefine(Tx tx, Scope scope, boolean withCursor, OperatorAct by) {
        return tx.query(UNDEFINE)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("with_cursor", withCursor)
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .mapTo(Boolean.class)
                .one();
    }

    /** Removes the scope of a worker that is no longer declared and that no instance holds; whether nothing is left of it. */
    boolean forgetScope(Tx tx, Scope scope) {
        tx.update(FORGET_SCOPE)
                .bind("executor", scope.executorName())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .execute();
        return !tx.query(IS_LEFT)
                .bind("executor", scope.executorName())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .mapTo(Boolean.class)
                .one();
    }

    private static SqlWorker worker(ResultSet row) throws SQLException {
        return new SqlWorker(
                Scope.of(row.getString("worker_name"), row.getString("source_name")),
                List.of((String[]) row.getArray("columns").getArray()),
                row.getString("statement"),
                row.getLong("version"),
                row.getString("actor"),
                row.getString("reason"),
                row.getString("db_user"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getObject("updated_at", OffsetDateTime.class).toInstant());
    }
}
