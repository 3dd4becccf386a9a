package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Builds the definition of a tail worker. It ends with the worker's effect: {@link #eachRow}, {@link #inBatches} or
 * {@link #bySql}. A draft is immutable; every method returns a new one.
 *
 * @param <R> what the last method returns
 */
public final class TailDraft<R> {
    // As its tables allow it.
    private static final Pattern NAME = Pattern.compile("[a-z0-9_][a-z0-9_.-]{0,62}");

    private final Scope scope;
    private final List<String> columns;
    private final Set<String> gates;
    private final String domain;
    private final Function<TailSpec, R> end;

    /** Used by {@code OneRoof.tail} and {@link TailSpec#draft}. */
    public TailDraft(String worker, String source, Function<TailSpec, R> end) {
        this(
                Scope.of(checked("worker", worker), checked("source", source)),
                List.of(),
                Set.of(),
                TailSpec.DEFAULT_DOMAIN,
                end);
    }

    private TailDraft(Scope scope, List<String> columns, Set<String> gates, String domain, Function<TailSpec, R> end) {
        this.scope = scope;
        this.columns = columns;
        this.gates = gates;
        this.domain = domain;
        this.end = end;
    }

    private static String checked(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not a name; allowed are 1 to 63 of a-z, 0-9, _, . and -, not starting with . or -"
                            .formatted(what, name));
        }
        return name;
    }

    /** The columns that the worker needs, besides those of the order key, which are always read. */
    public TailDraft<R> reading(String... names) {
        List<String> all = new ArrayList<>(columns);
        all.addAll(Arrays.asList(names));
        return new TailDraft<>(scope, List.copyOf(all), gates, domain, end);
    }

    /** The worker makes no pass while this gate is closed, expired or missing. Called again, it adds a gate: all must be open. */
    public TailDraft<R> gatedBy(String name) {
        Set<String> all = new LinkedHashSet<>(gates);
        all.add(name);
        return new TailDraft<>(scope, columns, Set.copyOf(all), domain, end);
    }

    /** The domain that the worker's cursor is listed under. */
    public TailDraft<R> inDomain(String name) {
        return new TailDraft<>(scope, columns, gates, name, end);
    }

    /**
     * Calls the handler for each row, in the order of the keys. A batch is one transaction: when one row fails, all are
     * rolled back.
     */
    public R eachRow(RowHandler handler) {
        return inBatches((tx, rows) -> {
            for (Row row : rows) {
                handler.handle(tx, row);
            }
        });
    }

    /** Calls the handler with the rows of a batch, to write or send them together. */
    public R inBatches(RowsHandler handler) {
        return by(new RowsEffect(columns, handler));
    }

    /** One statement per batch, which reads the rows from a relation called {@code page}; see {@link SetEffect}. */
    public R bySql(String statement) {
        return bySql(statement, Map.of());
    }

    public R bySql(String statement, Map<String, Object> parameters) {
        String selected = columns.isEmpty()
                ? "NULL"
                : columns.stream()
                        .distinct()
                        .map(column -> Identifiers.quote("column", column))
                        .collect(Collectors.joining(", "));
        return by(new SetEffect(selected, statement, parameters));
    }

    /** A custom effect, which builds its SQL from the page. */
    public R by(BatchEffect effect) {
        return end.apply(new TailSpec(scope, domain, TailSpec.DEFAULT_PHASE, gates, effect));
    }
}
