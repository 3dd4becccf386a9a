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
}
