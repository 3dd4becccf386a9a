package dev.oneroof.app.cli.job;

import dev.oneroof.core.job.JobId;
import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A job's id on a command line. */
final class JobIdConverter implements ITypeConverter<JobId> {
    @Override
    public JobId convert(String text) {
        try {
            return new JobId(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is not the id of a job; allowed is a uuid".formatted(text));
        }
    }
}
