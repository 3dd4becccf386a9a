package dev.oneroof.core.grant;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Grants of executors' logins, in {@code queue_executor_grant}. */
final class ExecutorGrantStore {
    private static final String GRANT = """
            SELECT oneroof.fn_executor_grant(:login, :reason, :actor, :kinds, :executors, :domains)
            """;

    private static final String REVOKE = """
            SELECT oneroof.fn_executor_revoke(:login, :reason, :actor, :kinds, :executors, :domains, :all)
            """;

    private static final String LIST = """
            SELECT g.login, g.subject, g.name, g.state, g.actor, g.reason, g.db_user, g.granted_at::text AS granted_at
            FROM oneroof.v_executor_grant g
            WHERE CAST(:login AS text) IS NULL OR g.login = :login
            ORDER BY g.login COLLATE "C", g.subject, g.name COLLATE "C"
            """;

    int grant(Tx tx, String login, GrantNames names, OperatorAct by) {
        return SqlState.explained(() -> tx.query(GRANT)
                .bind("login", login)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .bind("kinds", array(names.kinds()))
                .bind("executors", array(names.executors()))
                .bind("domains", array(names.domains()))
                .mapTo(Integer.class)
                .one());
    }

    int revoke(Tx tx, String login, GrantNames names, boolean all, OperatorAct by) {
        return SqlState.explained(() -> tx.query(REVOKE)
                .bind("login", login)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .bind("kinds", array(names.kinds()))
                .bind("executors", array(names.executors()))
                .bind("domains", array(names.domains()))
                .bind("all", all)
                .mapTo(Integer.class)
                .one());
    }

    /** @param login null for all */
    List<ExecutorGrant> list(Tx tx, @Nullable String login) {
        return tx.query(LIST)
                .bind("login", login)
                .map((row, context) -> new ExecutorGrant(
                        row.getString("login"),
                        row.getString("subject"),
                        row.getString("name"),
                        row.getString("state"),
                        row.getString("actor"),
                        row.getString("reason"),
                        row.getString("db_user"),
                        row.getString("granted_at")))
                .list();
    }

    private static String[] array(List<String> names) {
        return names.toArray(String[]::new);
    }
}
