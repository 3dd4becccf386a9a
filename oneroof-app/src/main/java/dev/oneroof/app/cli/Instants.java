package dev.oneroof.app.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A moment as it is written on a command line: with its zone, since nobody should have to guess. */
final class Instants implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException(
                    "'%s' is no time; allowed is one with its zone, such as 2026-03-01T06:00:00Z".formatted(text));
        }
    }
}
