package dev.oneroof.app.cli.dlq;

import dev.oneroof.core.job.JobDeadLetterId;
import dev.oneroof.core.job.LetterGroup;
import dev.oneroof.core.job.ReplayRunId;
import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ids of dead letters, groups and replay runs on a command line. */
final class DlqIdConverters {
    private DlqIdConverters() {}

    static final class Any implements ITypeConverter<DlqId> {
        @Override
        public DlqId convert(String text) {
            try {
                return isNumber(text) ? new DlqId.Row(Long.parseLong(text)) : new DlqId.Job(UUID.fromString(text));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'%s' is not allowed; allowed is the number of a row's dead letter, or the uuid of a job's"
                                .formatted(text));
            }
        }
    }

    static final class OfJob implements ITypeConverter<JobDeadLetterId> {
        @Override
        public JobDeadLetterId convert(String text) {
            if (isNumber(text)) {
                throw new TypeConversionException(
                        "'%s' is the number of a row's dead letter; only those of jobs are triaged, by their uuids"
                                .formatted(text));
            }
            return new JobDeadLetterId(uuid(text, "dead letter"));
        }
    }

    static final class Run implements ITypeConverter<ReplayRunId> {
        @Override
        public ReplayRunId convert(String text) {
            return new ReplayRunId(uuid(text, "replay run"));
        }
    }

    static final class Group implements ITypeConverter<LetterGroup> {
        @Override
        public LetterGroup convert(String text) {
            int slash = text.indexOf('/');
            if (slash < 1 || slash == text.length() - 1 || text.indexOf('/', slash + 1) >= 0) {
                throw new TypeConversionException(
                        "'%s' is not a group; allowed is KIND/FINGERPRINT, see 'oneroof dlq groups'".formatted(text));
            }
            return new LetterGroup(text.substring(0, slash), text.substring(slash + 1));
        }
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static UUID uuid(String text, String what) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is not the id of a %s; allowed is a uuid".formatted(text, what));
        }
    }
}
