package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.config.Suggestion;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A cron expression on a command line; refuses an unknown word such as @dayly. */
final class CronConverter implements ITypeConverter<String> {
    private static final List<String> WORDS =
            List.of("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually");

    @Override
    public String convert(String text) {
        String word = text.strip();
        if (word.startsWith("@") && !WORDS.contains(word.toLowerCase(Locale.ROOT))) {
            throw new TypeConversionException("'%s' is not allowed; allowed are %s%s"
                    .formatted(
                            word,
                            String.join(", ", WORDS),
                            Suggestion.near(word, WORDS).orElse("")));
        }
        return text;
    }
}
