package dev.oneroof.bench;

import org.jspecify.annotations.Nullable;

/** One measured thing, and whether it is as promised. */
public record Figure(
        String name,
        double measured,
        @Nullable Double reference,
        @Nullable Double ratio,
        String bound,
        boolean holds) {

    public static Figure exactly(String name, long measured, long wanted) {
        return new Figure(name, measured, null, null, "= " + wanted, measured == wanted);
    }

    public static Figure atMost(String name, double measured, double limit) {
        return new Figure(name, measured, null, null, "<= " + limit, measured <= limit);
    }

    public static Figure atLeast(String name, double measured, double limit) {
        return new Figure(name, measured, null, null, ">= " + limit, measured >= limit);
    }

    /** Against a reference of the same run: their ratio counts. */
    public static Figure ratioAtMost(String name, double measured, double reference, double limit) {
        double ratio = measured / reference;
        return new Figure(name, rounded(measured), rounded(reference), rounded(ratio), "<= " + limit, ratio <= limit);
    }

    public static Figure ratioAtLeast(String name, double measured, double reference, double limit) {
        double ratio = measured / reference;
        return new Figure(name, rounded(measured), rounded(reference), rounded(ratio), ">= " + limit, ratio >= limit);
    }

    /** To be known; nothing is promised of it. */
    public static Figure told(String name, double measured, @Nullable Double reference) {
        @Nullable Double ratio = reference == null ? null : rounded(measured / reference);
        return new Figure(name, rounded(measured), reference == null ? null : rounded(reference), ratio, "", true);
    }

    private static double rounded(double value) {
        return Math.round(value * 10_000) / 10_000.0;
    }
}
