package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What a problem with a file means to the caller. An interrupt arrives as one, too. */
final class FileFailure {
    private FileFailure() {}

    static OneRoofException notWritable(Path directory, IOException cause) {
        return of(
                ErrorCode.HOME_NOT_WRITABLE,
                "The directory " + directory + " cannot be used: " + reason(cause)
                        + ". Choose another one or change its permissions.",
                cause);
    }

    static OneRoofException failed(Path directory, IOException cause) {
        if (cause instanceof AccessDeniedException) {
            return notWritable(directory, cause);
        }
        return of(
                ErrorCode.EMBEDDED_SERVER_FAILED,
                "The embedded server in " + directory + " failed: " + reason(cause) + ".",
                cause);
    }

    static OneRoofException notExtracted(String archive, Path target, IOException cause) {
        return of(
                ErrorCode.EMBEDDED_SERVER_FAILED,
                "The PostgreSQL binaries " + archive + " cannot be extracted to " + target + ": " + reason(cause),
                cause);
    }

    /** The message of a file exception is often only a path; its kind then says what is wrong with it. */
    private static String reason(IOException cause) {
        return switch (cause) {
            case AccessDeniedException e -> "no access to " + e.getFile();
            case NoSuchFileException e -> e.getFile() + " is missing";
            case FileAlreadyExistsException e -> e.getFile() + " is in the way";
            case FileSystemException e when e.getReason() != null -> e.getFile() + ": " + e.getReason();
            default -> String.valueOf(cause.getMessage());
        };
    }

    private static OneRoofException of(ErrorCode code, String message, IOException cause) {
        if (cause instanceof ClosedByInterruptException || cause instanceof FileLockInterruptionException) {
            Thread.currentThread().interrupt();
            return new OneRoofException(ErrorCode.INTERRUPTED, "Interrupted while opening the embedded server.", cause);
        }
        return new OneRoofException(code, message, cause);
    }
}
