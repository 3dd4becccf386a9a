package dev.oneroof.app.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: 500ms, 30s, 10m, 2h, 1d. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    @Override
    public Duration convert(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches()) {
            throw new TypeConversionException(
                    "'%s' is not a duration; allowed is a whole number followed by ms, s, m, h or d".formatted(text));
        }
        long number = Long.parseLong(written.group(1));
        return switch (written.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
