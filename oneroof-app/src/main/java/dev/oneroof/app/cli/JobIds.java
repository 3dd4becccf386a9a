package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A job's id as it is written on a command line. */
final class JobIds implements ITypeConverter<JobId> {
    @Override
    public JobId convert(String text) {
        try {
            return new JobId(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is no id of a job; allowed is a uuid".formatted(text));
        }
    }
}
