package dev.oneroof.app.config;

import dev.oneroof.embeddedpostgres.Trust;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The settings in a YAML file, {@code db: {url: …}} read as {@code db.url}. */
final class ConfigFile {
    /** Taken when it lies in the current folder and no other was named. */
    private static final Path USUAL = Path.of("oneroof.yaml");

    private static final Pattern KEY = Pattern.compile("[A-Za-z_.-]{1,60}");

    private ConfigFile() {}

    static Map<String, String> read(@Nullable Path named) {
        if (named == null && !Files.exists(USUAL)) {
            return Map.of();
        }
        Path file = named == null ? USUAL : named;
        if (named == null) {
            demandTrust(file);
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new OneRoofException(ErrorCode.NOT_FOUND, "config: '%s' is no file that can be read".formatted(file));
        }
        Map<String, String> found = new LinkedHashMap<>();
        try {
            flatten("", mapper().readTree(file.toFile()), found);
        } catch (JacksonException e) {
            // Where, and neither the parser's words nor its exception: they repeat the text, which may be a password.
            TokenStreamLocation at = e.getLocation();
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "config: '%s' is no valid YAML, or has a key twice%s"
                            .formatted(
                                    file,
                                    at == null
                                            ? ""
                                            : ": line %d, column %d".formatted(at.getLineNr(), at.getColumnNr())));
        }
        return found;
    }

    /** One that was not asked for may name another server, which would get the password of the environment. */
    private static void demandTrust(Path file) {
        try {
            Trust.demand(file.toAbsolutePath(), "Or name the file with --config, which trusts it.");
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND, "config: '%s' is no file that can be read".formatted(file), e);
        }
    }

    private static YAMLMapper mapper() {
        return YAMLMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
    }

    /** A key of ours; what was meant as a value and became a key is not repeated. */
    static String shown(String key) {
        return KEY.matcher(key).matches() ? key : "***";
    }

    private static void flatten(String key, JsonNode node, Map<String, String> into) {
        if (node.isObject()) {
            node.properties()
                    .forEach(entry -> flatten(
                            key.isEmpty() ? entry.getKey() : key + "." + entry.getKey(), entry.getValue(), into));
        } else if (node.isArray() || (key.isEmpty() && node.isValueNode() && !node.isNull())) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "config: %s is not allowed here; allowed are keys with one value each"
                            .formatted(key.isEmpty() ? "this" : "what follows '" + shown(key) + "'"));
        } else if (!node.isNull() && !node.isMissingNode()) {
            into.put(key, node.asString());
        }
    }
}
