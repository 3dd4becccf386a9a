package dev.oneroof.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * Reference and candidate in turn, so that whatever else the machine does meets both. They are judged by their medians: a
 * single run can be disturbed.
 */
public record Turns(List<Double> reference, List<Double> candidate) {
    /** One run; what it returns is what is compared. */
    @FunctionalInterface
    public interface Run {
        double measure() throws Exception;
    }

    public static Turns take(int rounds, Run reference, Run candidate) throws Exception {
        List<Double> references = new ArrayList<>();
        List<Double> candidates = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            references.add(reference.measure());
            candidates.add(candidate.measure());
        }
        return new Turns(references, candidates);
    }

    public double referenceMedian() {
        return median(reference);
    }

    public double candidateMedian() {
        return median(candidate);
    }

    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
