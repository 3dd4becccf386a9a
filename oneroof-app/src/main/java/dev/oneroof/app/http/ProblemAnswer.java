package dev.oneroof.app.http;

import dev.oneroof.postgres.error.Problem;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A problem as RFC 9457 shows it, with its parts as further members. */
record ProblemAnswer(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String field,
        @Nullable String value,
        @Nullable String allowed,
        @Nullable String hint) {
    static ProblemAnswer of(Problem problem) {
        String code = problem.code().name().toLowerCase(Locale.ROOT);
        return new ProblemAnswer(
                "urn:oneroof:problem:" + code,
                code.replace('_', ' '),
                problem.code().httpStatus(),
                problem.text(),
                problem.field(),
                problem.value(),
                problem.allowed(),
                problem.hint());
    }
}
