package dev.oneroof.app.cli;

import java.util.List;
import java.util.function.IntFunction;

/** The first rows of a list, and whether there are more. */
public record Page<T>(List<T> rows, boolean more) {
    public static <T> Page<T> none() {
        return new Page<>(List.of(), false);
    }

    /** Queries one row more than wanted, to know whether there are more. */
    public static <T> Page<T> of(long wanted, IntFunction<List<T>> looked) {
        int most = Math.toIntExact(wanted);
        List<T> found = looked.apply(most + 1);
        return new Page<>(found.subList(0, Math.min(most, found.size())), found.size() > most);
    }
}
