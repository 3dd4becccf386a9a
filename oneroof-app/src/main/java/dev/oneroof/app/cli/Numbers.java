package dev.oneroof.app.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Whole numbers with bounds, and an answer that names them. */
final class Numbers {
    private Numbers() {}

    static final class Rows implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 100_000_000, text);
        }
    }

    static final class Seed implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, Integer.MAX_VALUE, text);
        }
    }

    static final class BirthsPerSecond implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, 10_000, text);
        }
    }

    static final class Seconds implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 86_400, text);
        }
    }

    static final class Writers implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 64, text);
        }
    }

    /** Fewer than two, and nobody would be left to go on. */
    static final class Processes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(2, 16, text);
        }
    }

    static final class JobLease implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 3600, text);
        }
    }

    static final class BatchSize implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 50_000, text);
        }
    }

    static final class Rounds implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 1000, text);
        }
    }

    static final class Blows implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, 10_000, text);
        }
    }

    static final class Minutes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 1440, text);
        }
    }

    static final class Priority implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(0, 100, text);
        }
    }

    static final class Attempts implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 1000, text);
        }
    }

    static final class PageSize implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return between(1, 10_000, text);
        }
    }

    /** Not whole: less than one a second is a rate, too. */
    static final class Rate implements ITypeConverter<Double> {
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

    /** Without a fraction where it has none. */
    static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private static long between(long least, long most, String text) {
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
