package dev.oneroof.app.cli;

import java.util.List;
import java.util.stream.Stream;

/** Rows under a heading, each column as wide as its widest value. */
final class Columns {
    private static final int LONGEST = 100;

    private Columns() {}

    static void print(List<String> heading, List<List<String>> values) {
        List<List<String>> rows = values.stream()
                .map(row -> row.stream().map(Console::inLine).toList())
                .toList();
        int[] widths = new int[heading.size()];
        Stream.concat(Stream.of(heading), rows.stream()).forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        Console.print(line(heading, widths));
        rows.forEach(row -> Console.print(line(row, widths)));
    }

    /** The beginning of a text that may be long and have lines of its own. */
    static String brief(String text) {
        String plain = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return plain.length() <= LONGEST ? plain : plain.substring(0, LONGEST - 1) + "…";
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            line.append(row.get(column))
                    .append(" ".repeat(widths[column] - row.get(column).length() + 3));
        }
        return line.toString().stripTrailing();
    }
}
