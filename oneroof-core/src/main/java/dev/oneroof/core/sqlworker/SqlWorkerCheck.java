package dev.oneroof.core.sqlworker;

import dev.oneroof.core.tail.SetEffect;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.ServerError;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tries a worker's statement on the server before it is saved: over a page of its source, with the rights of the running
 * program, by EXPLAIN, which plans it and checks its privileges and runs nothing.
 */
final class SqlWorkerCheck {
    private final StatementCheckStore store = new StatementCheckStore();

    /** Throws where the worker could not run, or would write OneRoof's own tables. */
    void demand(Tx tx, TailSource source, SqlWorkerDraft draft) {
        String statement = StatementText.stripped(draft.statement());
        String flaw = StatementText.flaw(statement);
        if (flaw != null) {
            throw refused("statement", statement, flaw);
        }
        refuseOwnSchema(tx, statement);
        demandNoEffectsOutside(tx, statement);
        KeysetPage page = new KeysetPage(source, false, null, null, null, 1);
        String columns = columns(draft.columns());
        explained(tx, "reading", String.join(",", draft.columns()), statement, page.select(columns), page.parameters());
        String plan = explained(
                tx,
                "statement",
                statement,
                statement,
                new SetEffect(columns, statement, Map.of()).over(page),
                page.parameters());
        List<String> own = store.writtenTables(tx, plan, tx.schema().value());
        if (!own.isEmpty()) {
            throw refused(
                    "statement",
                    statement,
                    "it writes %s; allowed are tables outside of schema %s"
                            .formatted(String.join(", ", own), tx.schema().value()));
        }
    }

    private static String columns(List<String> names) {
        return names.isEmpty()
                ? "NULL"
                : names.stream()
                        .distinct()
                        .map(name -> Identifiers.quote("reading", name))
                        .collect(Collectors.joining(", "));
    }

    /** By its name already: where the server may not write it, its plan is not made. */
    private static void refuseOwnSchema(Tx tx, String statement) {
        String target = StatementText.target(statement);
        String schema = tx.schema().value();
        if (target != null && target.replace("\"", "").replaceAll("\\s", "").startsWith(schema + ".")) {
            throw refused(
                    "statement",
                    statement,
                    "it writes %s; allowed are tables outside of schema %s".formatted(target, schema));
        }
    }

    /** A batch that is rolled back and tried again must leave nothing: no message sent, no setting changed, no lock held. */
    void demandNoEffectsOutside(Tx tx, String statement) {
        List<String> volatiles = store.volatileBuiltIns(tx, StatementText.calls(statement));
        if (!volatiles.isEmpty()) {
            throw refused(
                    "statement",
                    statement,
                    "it calls %s, which is volatile; allowed are functions whose effect ends with the transaction"
                            .formatted(String.join(", ", volatiles)));
        }
    }

    private String explained(
            Tx tx, String field, String value, String statement, String sql, Map<String, Object> parameters) {
        try {
            return tx.undone(() -> store.explain(tx, sql, parameters));
        } catch (RuntimeException e) {
            ServerError error = ServerError.of(e);
            if (error == null || SqlState.isTransient(e)) {
                throw e;
            }
            if (SqlState.isPrivilegeMissing(e)) {
                throw new OneRoofException(
                        new Problem(
                                ErrorCode.PRIVILEGE_MISSING,
                                field,
                                shortened(value),
                                null,
                                error.message(),
                                "run as the owner of the table: " + grants(tx, statement)),
                        e);
            }
            throw new OneRoofException(
                    new Problem(ErrorCode.INVALID_INPUT, field, shortened(value), null, error.message(), null), e);
        }
    }

    private String grants(Tx tx, String statement) {
        String target = StatementText.target(statement);
        String verb = statement.strip().split("\\s+", 2)[0].toUpperCase(Locale.ROOT);
        String role = Identifiers.quote("role", store.currentRole(tx));
        if (target == null) {
            return "GRANT SELECT ON each table that it reads TO %s".formatted(role);
        }
        String privileges = verb.equals("INSERT") ? "SELECT, INSERT" : "SELECT, " + verb;
        int dot = target.indexOf('.');
        String usage = dot < 0
                ? ""
                : "GRANT USAGE ON SCHEMA %s TO %s; "
                        .formatted(target.substring(0, dot).strip(), role);
        return "%sGRANT %s ON %s TO %s; and SELECT on each further table that it reads"
                .formatted(usage, privileges, target, role);
    }

    private static OneRoofException refused(String field, String value, String why) {
        return new OneRoofException(new Problem(ErrorCode.INVALID_INPUT, field, shortened(value), null, why, null));
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= 80 ? line : line.substring(0, 79) + "…";
    }
}
