package dev.oneroof.app.cli.source;

import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A source, as it is printed. */
record SourceAnswer(
        String name,
        String schema,
        String table,
        @Nullable String tsColumn,
        @Nullable String tsType,
        @Nullable String zone,
        String idColumn,
        String idType,
        String contract,
        String mode,
        @Nullable String filter,
        int batchSize,
        double pollSeconds,
        double lagThresholdSeconds,
        double rereadSeconds) {

    static SourceAnswer of(TailSource source) {
        TailSource.TimeColumn time = source.time();
        return new SourceAnswer(
                source.name(),
                source.relation().schema(),
                source.relation().table(),
                time == null ? null : time.column(),
                time == null ? null : time.type().sql(),
                time == null ? null : time.zone(),
                source.id().column(),
                source.id().type().sql(),
                source.contract().name().toLowerCase(Locale.ROOT),
                source.mode().name().toLowerCase(Locale.ROOT),
                source.filter(),
                source.batchSize(),
                seconds(source.pollInterval()),
                seconds(source.lagThreshold()),
                seconds(source.rereadWindow()));
    }

    /** The columns of the order key. */
    String key() {
        return tsColumn == null ? idColumn : tsColumn + ", " + idColumn;
    }

    /** All fields, one line each. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("source         %s".formatted(name));
        lines.add("table          %s.%s".formatted(schema, table));
        if (tsColumn != null) {
            lines.add("time           %s (%s%s)".formatted(tsColumn, tsType, zone == null ? "" : ", " + zone));
        }
        lines.add("id             %s (%s)".formatted(idColumn, idType));
        lines.add("contract       %s".formatted(contract));
        lines.add("mode           %s".formatted(mode));
        if (filter != null) {
            lines.add("filter         %s".formatted(filter));
        }
        lines.add("batch size     %d".formatted(batchSize));
        lines.add("polled every   %s".formatted(text(pollSeconds)));
        lines.add("behind after   %s".formatted(text(lagThresholdSeconds)));
        lines.add("read again     %s".formatted(text(rereadSeconds)));
        return lines;
    }

    private static String text(double seconds) {
        return DurationText.of(Duration.ofMillis(Math.round(seconds * 1000)));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
