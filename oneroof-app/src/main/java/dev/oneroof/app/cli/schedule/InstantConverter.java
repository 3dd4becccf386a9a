package dev.oneroof.app.cli.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An instant on a command line; its zone is required. */
final class InstantConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException(
                    "'%s' is not allowed; allowed is a time with its zone, such as 2026-03-01T06:00:00Z"
                            .formatted(text));
        }
    }
}
