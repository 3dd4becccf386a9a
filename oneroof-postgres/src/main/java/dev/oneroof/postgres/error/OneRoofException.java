package dev.oneroof.postgres.error;

import org.jspecify.annotations.Nullable;

/**
 * The root of all that OneRoof throws on purpose. Its problem is written for the person who reads it: what is wrong, with
 * which value, and what is allowed or what to do. It needs no stack trace to be understood.
 */
public class OneRoofException extends RuntimeException {
    private final transient Problem problem;

    public OneRoofException(Problem problem) {
        this(problem, null);
    }

    public OneRoofException(Problem problem, @Nullable Throwable cause) {
        super(problem.text(), cause);
        this.problem = problem;
    }

    public OneRoofException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public OneRoofException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(Problem.of(code, message), cause);
    }

    public Problem problem() {
        return problem;
    }

    /** What {@link #getMessage} says, and never null. */
    public String message() {
        return problem.text();
    }

    public ErrorCode code() {
        return problem.code();
    }
}
