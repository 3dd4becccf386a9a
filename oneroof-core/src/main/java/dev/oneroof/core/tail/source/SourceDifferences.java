package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.text.DurationText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The differences of two definitions of a source, field by field, for a message. */
public final class SourceDifferences {
    private SourceDifferences() {}

    static String between(TailSource registered, TailSource asked) {
        Map<String, String> before = fields(registered);
        return fields(asked).entrySet().stream()
                .filter(field -> !field.getValue().equals(before.get(field.getKey())))
                .map(field ->
                        "%s is %s and not %s".formatted(field.getKey(), before.get(field.getKey()), field.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** A line for each field that changes. */
    public static List<String> changes(TailSource before, TailSource after) {
        Map<String, String> then = fields(before);
        return fields(after).entrySet().stream()
                .filter(field -> !field.getValue().equals(then.get(field.getKey())))
                .map(field -> "%s from %s to %s".formatted(field.getKey(), then.get(field.getKey()), field.getValue()))
                .toList();
    }

    private static Map<String, String> fields(TailSource source) {
        TailSource.TimeColumn time = source.time();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("relation", source.relation().quoted());
        fields.put("ts_column", text(time == null ? null : time.column()));
        fields.put("ts_type", text(time == null ? null : time.type().sql()));
        fields.put("time_zone", text(time == null ? null : time.zone()));
        fields.put("id_column", text(source.id().column()));
        fields.put("id_type", text(source.id().type().sql()));
        fields.put("contract", text(source.contract().sql()));
        fields.put("mode", text(source.mode().sql()));
        fields.put("filter", text(source.filter()));
        fields.put("batch_size", Integer.toString(source.batchSize()));
        fields.put("poll_interval", DurationText.of(source.pollInterval()));
        fields.put("lag_threshold", DurationText.of(source.lagThreshold()));
        fields.put("reread_window", DurationText.of(source.rereadWindow()));
        return fields;
    }

    private static String text(@Nullable String value) {
        return value == null ? "none" : "'%s'".formatted(value);
    }
}
