package dev.oneroof.core.signal;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an event or a job says: addresses and figures, never contents. The database refuses one that is large or
 * has a key like {@code body} or {@code password} at any depth.
 *
 * @param json an object, at most a hundred levels deep
 */
public record Payload(String json) {
    public static final Payload EMPTY = new Payload("{}");

    public Payload {
        new JsonCheck(json).demand();
    }

    /** A flat object of texts, numbers and truth values. Anything deeper is written as JSON by the caller. */
    public static Payload of(Map<String, ?> fields) {
        return new Payload(new TreeMap<>(fields)
                .entrySet().stream()
                        .map(field -> quoted(field.getKey()) + ": " + value(field.getKey(), field.getValue()))
                        .collect(Collectors.joining(", ", "{", "}")));
    }

    private static String value(String key, @Nullable Object value) {
        return switch (value) {
            case Boolean truth -> truth.toString();
            // JSON has no word for them.
            case Double figure when !Double.isFinite(figure) -> throw notAllowed(key, figure);
            case Float figure when !Float.isFinite(figure) -> throw notAllowed(key, figure);
            case Number figure -> figure.toString();
            case CharSequence text -> quoted(text.toString());
            case null, default -> throw notAllowed(key, value);
        };
    }

    private static IllegalArgumentException notAllowed(String key, @Nullable Object value) {
        return new IllegalArgumentException(
                "%s: '%s' is not allowed; allowed are texts, finite numbers, true and false".formatted(key, value));
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
