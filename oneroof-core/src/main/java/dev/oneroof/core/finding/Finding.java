package dev.oneroof.core.finding;

import java.util.Map;
import java.util.TreeMap;

/**
 * Something that is wrong now.
 *
 * @param key what it is about; a finding with the same type and key is the same finding
 * @param evidence references and figures, never contents
 * @param count how many times it happened
 */
public record Finding(FindingType type, String key, String summary, Map<String, String> evidence, long count) {
    public Finding {
        evidence = Map.copyOf(evidence);
    }

    public Finding(FindingType type, String key, String summary, Map<String, String> evidence) {
        this(type, key, summary, evidence, 1);
    }

    /** As a JSON object, its fields in order. */
    String evidenceJson() {
        StringBuilder json = new StringBuilder("{");
        new TreeMap<>(evidence)
                .forEach((name, value) -> json.append(json.length() > 1 ? "," : "")
                        .append(quoted(name))
                        .append(':')
                        .append(quoted(value)));
        return json.append('}').toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < 0x20) {
                quoted.append("\\u%04x".formatted(c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
