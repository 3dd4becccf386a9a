package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import picocli.CommandLine.ITypeConverter;

/** The bounds of the numbers that benches take. */
final class BenchNumberConverters {
    private BenchNumberConverters() {}

    static final class Seconds implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(1, 86_400, text);
        }
    }

    static final class Writers implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(1, 64, text);
        }
    }

    /** At least two: one continues when the other is killed. */
    static final class Processes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(2, 16, text);
        }
    }

    static final class JobLease implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(1, 3600, text);
        }
    }

    static final class Rounds implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(1, 1000, text);
        }
    }

    static final class Faults implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(0, 10_000, text);
        }
    }

    static final class Minutes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return NumberConverters.between(1, 1440, text);
        }
    }
}
