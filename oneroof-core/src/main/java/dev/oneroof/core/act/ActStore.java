package dev.oneroof.core.act;

import dev.oneroof.postgres.Tx;
import org.jspecify.annotations.Nullable;

/**
 * Acts of operators, in {@code operator_act}, written in the transaction of the act itself. The database sets the login and
 * the time; no role but the owner may write them.
 */
public final class ActStore {
    private static final String RECORD = """
            INSERT INTO oneroof.operator_act (act, target, actor, reason, details)
            VALUES (:act, :target, :actor, :reason, jsonb_strip_nulls(jsonb_build_object(
                'from', CAST(:from AS text), 'to', CAST(:to AS text), 'until', CAST(:until AS text))))
            """;

    public void record(Tx tx, String act, String target, OperatorAct by) {
        record(tx, act, target, by, null, null, null);
    }

    public void record(
            Tx tx,
            String act,
            String target,
            OperatorAct by,
            @Nullable String from,
            @Nullable String to,
            @Nullable String until) {
        tx.update(RECORD)
                .bind("act", act)
                .bind("target", target)
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .bind("from", from)
                .bind("to", to)
                .bind("until", until)
                .execute();
    }
}
