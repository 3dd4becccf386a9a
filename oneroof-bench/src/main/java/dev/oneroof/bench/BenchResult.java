package dev.oneroof.bench;

import java.util.List;
import java.util.Map;

/** What a bench prints. */
public record BenchResult(String bench, Map<String, Object> settings, List<Figure> figures, boolean holds) {
    public static BenchResult of(String bench, Map<String, Object> settings, List<Figure> figures) {
        return new BenchResult(bench, settings, figures, figures.stream().allMatch(Figure::holds));
    }
}
