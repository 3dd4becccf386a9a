package dev.oneroof.app.cli;

import java.util.List;
import java.util.stream.Stream;

/** Rows under a heading, each column as wide as its widest value. */
final class Columns {
    private Columns() {}

    static void print(List<String> heading, List<List<String>> rows) {
        int[] widths = new int[heading.size()];
        Stream.concat(Stream.of(heading), rows.stream()).forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        Console.print(line(heading, widths));
        rows.forEach(row -> Console.print(line(row, widths)));
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
