package dev.oneroof.app.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers with bounds; the refusal names them. */
public final class NumberConverters {
    private NumberConverters() {}

    public static final class Rows implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 100_000_000, text);
        }
    }

    public static final class Seed implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, Integer.MAX_VALUE, text);
        }
    }

    public static final class BirthsPerSecond implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, 10_000, text);
        }
    }

    public static final class BatchSize implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 50_000, text);
        }
    }

    public static final class Priority implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, 100, text);
        }
    }

    public static final class Attempts implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 1000, text);
        }
    }

    public static final class PageSize implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 10_000, text);
        }
    }

    /** Not whole: less than one a second is a rate, too. */
    public static final class Rate implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            try {
                double rate = Double.parseDouble(text);
                if (rate >= 0.01 && rate <= 10_000) {
                    return rate;
                }
            } catch (NumberFormatException e) {
                // the same answer as for a number out of bounds
            }
            throw new TypeConversionException(
                    "'%s' is not allowed; allowed is a number from 0.01 to 10000".formatted(text));
        }
    }

    /** The number, or a refusal that names the bounds. */
    public static long between(long least, long most, String text) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // the same answer as for a number out of bounds
        }
        throw new TypeConversionException(
                "'%s' is not allowed; allowed is a whole number from %d to %d".formatted(text, least, most));
    }
}
