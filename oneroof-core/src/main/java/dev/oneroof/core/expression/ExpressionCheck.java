package dev.oneroof.core.expression;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * The one check for SQL expressions that are kept as data. An expression must be computed from one row alone and give the
 * same value for that row at any time, in any session: one that reads other rows, the clock or a setting changes its value while
 * no row changes, and the row would not be read again.
 *
 * <p>The server itself decides, before anything is saved: a stored generated column on a temporary table of the same
 * shape takes no subquery, aggregate, set-returning function, system column or whole row, and nothing that is not
 * IMMUTABLE. Four things it accepts that must be refused:
 *
 * <ul>
 *   <li>Functions of a user, which are what they say they are only until they are replaced. The catalog says what the column
 *       depends on; user-defined is what does not lie in {@code pg_catalog}, extensions included.
 *   <li>Constants that are read when a statement is parsed: {@code 'today'}, a time without its zone, {@code '1/2/2026'}. They
 *       are parsed twice, under settings as unlike as can be, and must come out the same.
 *   <li>{@code 'now'}, the one such constant that no setting changes. It is found by its value: the transaction's own time.
 *   <li>Text made of {@code bytea}, of floating-point numbers and of what has them in it: it is written as settings say, by
 *       functions that are declared IMMUTABLE. And XML, whose parts it does not check. The stored expression shows both.
 * </ul>
 */
public final class ExpressionCheck {
    private static final String FIRST = "oneroof_trial_a";
    private static final String SECOND = "oneroof_trial_b";
    private static final String NOW = "oneroof_trial_n";

    // Their local times are 26 hours apart: nowhere is it the same day in both. The driver needs ISO.
    private static final Map<String, String> SETTINGS = Map.of(
            "TimeZone", "Etc/GMT+12",
            "DateStyle", "ISO, DMY",
            "IntervalStyle", "postgres",
            "array_nulls", "on",
            "transform_null_equals", "off");
    private static final Map<String, String> OTHER_SETTINGS = Map.of(
            "TimeZone", "Etc/GMT-14",
            "DateStyle", "ISO, MDY",
            "IntervalStyle", "sql_standard",
            "array_nulls", "off",
            "transform_null_equals", "on",
            "lc_monetary", "C",
            "search_path", "pg_catalog");

    // No such object definition, not supported, grouping, windowing, no such column reference.
    private static final Set<String> NOT_OF_ITS_ROW = Set.of("42P17", "0A000", "42803", "42P20", "42P10");
    private static final Pattern VALUE = Pattern.compile(":constvalue 8 \\[ ([-0-9 ]+)]");

    // The one system column that a generated column takes.
    private static final Pattern SYSTEM_COLUMN = Pattern.compile(":varattno -[0-9]+");

    private static final String RULE = "it must be worked out from the row alone and give the same for it at any time";

    /** What was found in the trial. */
    private record Tried(
            TrialStore.Type type,
            @Nullable String foreign,
            @Nullable String writtenBySettings,
            boolean xml,
            boolean systemColumn,
            boolean ofTheSession,
            boolean ofTheMoment) {}

    /** Throws when the expression does not keep to the rules; returns the type that it gives. Nothing remains of the trial. */
    public String demand(Tx tx, Expression expression) {
        String flaw = ExpressionText.flaw(expression.text());
        if (flaw != null) {
            throw refused(expression, flaw, null);
        }
        Tried tried = tx.undone(() -> tried(tx, expression));
        if (tried.foreign() != null) {
            throw refused(
                    expression,
                    "it uses %s, which is user-defined (not in pg_catalog) and may be replaced; %s; %s"
                            .formatted(tried.foreign(), RULE, expression.instead()),
                    null);
        }
        if (tried.writtenBySettings() != null) {
            throw refused(
                    expression,
                    "it turns %s into text, and a setting of the session says how that is written (bytea_output, extra_float_digits); compare the value itself, or write encode(…, 'hex') for bytea and a cast to numeric for a floating-point number; or %s"
                            .formatted(tried.writtenBySettings(), expression.instead()),
                    null);
        }
        if (tried.xml()) {
            throw refused(
                    expression,
                    "xmlelement and its like write values as settings of the session say; compare the values themselves; or %s"
                            .formatted(expression.instead()),
                    null);
        }
        if (tried.systemColumn()) {
            throw refused(
                    expression,
                    "it uses tableoid, which is no column of the row's own; %s".formatted(expression.instead()),
                    null);
        }
        if (tried.ofTheMoment()) {
            throw refused(
                    expression,
                    "it holds 'now', which is the time of each statement; %s; %s".formatted(RULE, expression.instead()),
                    null);
        }
        if (tried.ofTheSession()) {
            throw refused(
                    expression,
                    "a constant in it means something else in another session or on another day; write times with their zone, as '2026-01-31 09:30:00+00', dates as '2026-01-31', and neither 'today' nor its like; or %s"
                            .formatted(expression.instead()),
                    null);
        }
        String type = tried.type().shown();
        if (expression.type() != null && !expression.type().equals(type)) {
            throw refused(expression, "it gives %s and must give %s".formatted(type, expression.type()), null);
        }
        return type;
    }

    private static Tried tried(Tx tx, Expression expression) {
        TrialStore trial = new TrialStore(expression.table());
        create(tx, trial, expression);
        trial.set(tx, SETTINGS);
        TrialStore.Type type = judged(expression, () -> trial.type(tx, expression.text()));
        judged(expression, () -> {
            trial.add(tx, FIRST, type.name(), expression.text());
            return true;
        });
        String foreign = trial.foreign(tx, FIRST).orElse(null);
        if (foreign != null) {
            return new Tried(type, foreign, null, false, false, false, false);
        }
        String stored = trial.stored(tx, FIRST);
        String writtenBySettings =
                trial.writtenBySettings(tx, StoredTree.written(stored)).orElse(null);
        trial.add(tx, NOW, "pg_catalog.timestamptz", "pg_catalog.timestamptz 'now'");
        Matcher now = VALUE.matcher(trial.stored(tx, NOW));
        boolean ofTheMoment = now.find() && stored.contains(now.group(1).strip());
        boolean systemColumn = SYSTEM_COLUMN.matcher(stored).find();
        return new Tried(
                type,
                null,
                writtenBySettings,
                StoredTree.makesXml(stored),
                systemColumn,
                isOfTheSession(tx, trial, expression, type, stored),
                ofTheMoment);
    }

    private static boolean isOfTheSession(
            Tx tx, TrialStore trial, Expression expression, TrialStore.Type type, String stored) {
        trial.set(tx, OTHER_SETTINGS);
        try {
            trial.add(tx, SECOND, type.name(), expression.text());
        } catch (JdbiException e) {
            if (!isTheExpressions(SqlState.of(e))) {
                throw e;
            }
            throw refused(
                    expression,
                    "its names mean something else under another search_path (the server says: %s); write them with their schema"
                            .formatted(SqlState.message(e)),
                    e);
        }
        return !trial.stored(tx, SECOND).equals(stored);
    }

    private static void create(Tx tx, TrialStore trial, Expression expression) {
        boolean[] denied = {false};
        tx.orElse(() -> trial.create(tx, expression.schema(), expression.table()), e -> {
            if (!SqlState.isPrivilegeMissing(e)) {
                throw e;
            }
            denied[0] = true;
        });
        if (denied[0]) {
            throw new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING,
                    "%s: it is tried on a temporary table, which this login may not create; run as the database's owner: GRANT TEMPORARY ON DATABASE %s"
                            .formatted(expression.field(), trial.databaseToRole(tx)));
        }
    }

    private interface Step<R> {
        R take();
    }

    private static <R> R judged(Expression expression, Step<R> step) {
        try {
            return step.take();
        } catch (JdbiException e) {
            String state = SqlState.of(e);
            if (!isTheExpressions(state)) {
                throw e;
            }
            String said = "the server says: " + SqlState.message(e);
            throw refused(
                    expression,
                    NOT_OF_ITS_ROW.contains(String.valueOf(state))
                            ? "%s (%s); %s".formatted(RULE, said, expression.instead())
                            : said,
                    e);
        }
    }

    /** 42: it is no expression over this table; 22, 0A: a value in it is none, or it is not supported; 54: too complex. */
    private static boolean isTheExpressions(@Nullable String state) {
        return state != null
                && (state.startsWith("42")
                        || state.startsWith("22")
                        || state.startsWith("0A")
                        || state.startsWith("54"));
    }

    private static OneRoofException refused(Expression expression, String why, @Nullable Throwable cause) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "%s: '%s' is not allowed: %s".formatted(expression.field(), expression.shown(), why),
                cause);
    }
}
