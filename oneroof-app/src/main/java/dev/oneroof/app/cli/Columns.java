package dev.oneroof.app.cli;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rows under a heading, each column as wide as its widest value. */
public final class Columns<T> {
    private static final int LONGEST = 100;

    /** The value of a column; null is shown as a dash. */
    public interface Value<T> {
        @Nullable
        Object of(T row);
    }

    private record Column<T>(String heading, Value<T> value) {
        String text(T row) {
            Object found = value.of(row);
            return found == null ? "-" : Console.inLine(found.toString());
        }
    }

    private final List<Column<T>> columns;

    public Columns() {
        this(List.of());
    }

    private Columns(List<Column<T>> columns) {
        this.columns = columns;
    }

    /** Adds a column to the right. */
    public Columns<T> with(String heading, Value<T> value) {
        return new Columns<>(Stream.concat(columns.stream(), Stream.of(new Column<>(heading, value)))
                .toList());
    }

    public List<String> lines(List<T> rows) {
        List<List<String>> texts = Stream.concat(
                        Stream.of(columns.stream().map(Column::heading).toList()),
                        rows.stream()
                                .map(row -> columns.stream()
                                        .map(column -> column.text(row))
                                        .toList()))
                .toList();
        int[] widths = new int[columns.size()];
        texts.forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        return texts.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            line.append(row.get(column))
                    .append(" ".repeat(widths[column] - row.get(column).length() + 3));
        }
        return line.toString().stripTrailing();
    }

    /** The first 100 characters of a text, as one line. */
    public static String brief(String text) {
        String plain = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return plain.length() <= LONGEST ? plain : plain.substring(0, LONGEST - 1) + "…";
    }
}
