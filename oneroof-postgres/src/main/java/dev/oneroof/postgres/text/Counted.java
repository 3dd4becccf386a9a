package dev.oneroof.postgres.text;

/** So many of something, in the number that its noun then has. */
public final class Counted {
    private Counted() {}

    /**
     * The count and its noun.
     *
     * @param one the noun for one; more of them end with an s
     */
    public static String of(long count, String one) {
        return "%d %s".formatted(count, noun(count, one));
    }

    /** The noun alone, where the count is written in a way of its own. */
    public static String noun(long count, String one) {
        return count == 1 ? one : one + "s";
    }
}
