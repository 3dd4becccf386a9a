package dev.oneroof.bench.latecommit;

import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Holds what was handled against what was committed. */
final class LateVerdict {
    private static final double BRIEF_LIMIT_MS = 100;
    private static final double LONGER_LIMIT_MS = 2000;

    // In strict mode the order of handling is the order of the keys.
    private static final String OUT_OF_ORDER = """
            SELECT count(*)
            FROM (
                SELECT (%1$s) < lag((%1$s)) OVER (ORDER BY h.no) AS back
                FROM oneroof_late.handled h
                JOIN oneroof_late.%2$s s USING (mark)
                WHERE h.tail = :tail) o
            WHERE back
            """;

    private final Database owner;
    private final Map<Long, Commits.Commit> committed;

    LateVerdict(Database owner, Map<Long, Commits.Commit> committed) {
        this.owner = owner;
        this.committed = committed;
    }

    private record Handled(long mark, Instant at) {}

    List<Figure> figures(List<TailSource> sources, List<Control> controls) {
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.atLeast("rows committed", committed.size(), 1));
        for (TailSource source : sources) {
            figures.addAll(figuresOf(source));
        }
        for (Control control : controls) {
            long lost = committed.keySet().stream()
                    .filter(mark -> !control.seen().contains(mark))
                    .count();
            figures.add(Figure.atLeast("control %s: lost".formatted(control.kind()), (double) lost, 1));
        }
        return figures;
    }

    private List<Figure> figuresOf(TailSource source) {
        String name = shortName(source);
        List<Handled> handled = handledBy(source.name());
        Set<Long> distinct = new HashSet<>();
        handled.forEach(row -> distinct.add(row.mark()));
        Set<Long> lost = new HashSet<>(committed.keySet());
        lost.removeAll(distinct);
        Set<Long> ghosts = new HashSet<>(distinct);
        ghosts.removeAll(committed.keySet());

        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.exactly(name + ": lost", lost.size(), 0));
        figures.add(Figure.exactly(name + ": handled twice", handled.size() - distinct.size(), 0));
        figures.add(Figure.exactly(name + ": handled though rolled back", ghosts.size(), 0));
        if (source.mode() == Mode.STRICT) {
            figures.add(Figure.exactly(name + ": out of order", outOfOrder(source), 0));
        } else {
            figures.add(Figure.atMost(
                    name + ": p99 ms from commit, transactions under 1 s",
                    p99(handled, commit -> commit.brief() && !commit.dated()),
                    BRIEF_LIMIT_MS));
            figures.add(Figure.atMost(
                    name + ": p99 ms from commit, longer transactions",
                    p99(handled, commit -> !commit.brief() && !commit.dated()),
                    LONGER_LIMIT_MS));
        }
        return figures;
    }

    private static String shortName(TailSource source) {
        return "%s %s".formatted(source.contract(), source.mode()).toLowerCase(java.util.Locale.ROOT);
    }

    private List<Handled> handledBy(String tail) {
        return owner.inTx(tx -> tx.query("SELECT mark, at FROM oneroof_late.handled WHERE tail = :tail")
                .bind("tail", tail)
                .map((row, context) ->
                        new Handled(row.getLong("mark"), row.getTimestamp("at").toInstant()))
                .list());
    }

    private long outOfOrder(TailSource source) {
        boolean timed = source.time() != null;
        String sql = OUT_OF_ORDER.formatted(timed ? "s.created_at" : "s.id", timed ? "by_clock" : "by_sequence");
        return owner.inTx(tx ->
                tx.query(sql).bind("tail", source.name()).mapTo(Long.class).one());
    }

    private double p99(List<Handled> handled, Predicate<Commits.Commit> wanted) {
        Map<Long, Instant> first = new HashMap<>();
        handled.forEach(row -> first.merge(row.mark(), row.at(), (a, b) -> a.isBefore(b) ? a : b));
        double[] delays = committed.entrySet().stream()
                .filter(row -> wanted.test(row.getValue()))
                .flatMapToDouble(row -> delay(row.getValue(), first.get(row.getKey())))
                .sorted()
                .toArray();
        return delays.length == 0 ? 0 : Math.round(delays[(int) ((delays.length - 1) * 0.99)] * 10) / 10.0;
    }

    private static DoubleStream delay(Commits.Commit commit, @Nullable Instant handled) {
        return handled == null
                ? DoubleStream.empty()
                : DoubleStream.of(Duration.between(commit.at(), handled).toNanos() / 1e6);
    }
}
