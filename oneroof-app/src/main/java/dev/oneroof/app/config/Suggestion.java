package dev.oneroof.app.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** "Did you mean": the nearest known word, when it is near enough to be a slip of the fingers. */
public final class Suggestion {
    private Suggestion() {}

    public static String forWord(String word, Collection<String> known) {
        return near(word, known).orElse("; known are " + String.join(", ", known));
    }

    /** Nothing where none is near: for words of which there may be many. */
    public static Optional<String> near(String word, Collection<String> known) {
        Optional<String> nearest = known.stream().min(Comparator.comparingInt(candidate -> distance(word, candidate)));
        return nearest.filter(candidate -> distance(word, candidate) <= Math.max(2, word.length() / 3))
                .map(candidate -> "; did you mean '" + candidate + "'?");
    }

    /** How many letters must be added, dropped, changed or swapped with their neighbour. */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 ? j : j == 0 ? i : step(d, a, b, i, j);
            }
        }
        return d[a.length()][b.length()];
    }

    private static int step(int[][] d, String a, String b, int i, int j) {
        int changed = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(changed, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
    }
}
