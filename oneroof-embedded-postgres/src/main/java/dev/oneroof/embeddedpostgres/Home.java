package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory of an embedded server and what lies where in it.
 *
 * <pre>
 * owner.lock   locked by the owning process, never written, never deleted
 * owner.pid    who that is, for the message to the second comer
 * password     of the superuser
 * port         the last used one
 * data         the cluster; data.new-* is one in the making
 * postgres-*   extracted binaries, unless they are kept elsewhere
 * server.log   what the server says; command.log: what the last program said
 * </pre>
 */
record Home(Path directory) {
    /** Makes the directory when it is missing. The path is the real one, so that two names of it are one home. */
    static Home prepare(Path directory) {
        try {
            createDirectories(directory);
            Path real = directory.toRealPath();
            requirePlain(real);
            return new Home(real);
        } catch (IOException e) {
            throw FileFailure.notWritable(directory, e);
        }
    }

    static Optional<Home> existing(Path directory) {
        try {
            return Optional.of(new Home(directory.toRealPath()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void createDirectories(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        if (Files.exists(directory)) {
            throw new FileAlreadyExistsException(directory.toString(), null, "it is not a directory");
        }
        Path parent = directory.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.createDirectories(directory, DurableFile.PRIVATE_DIRECTORY);
    }

    /** initdb and pg_ctl put paths between double quotes on a shell's command line and do not escape them. */
    static void requirePlain(Path path) {
        if (path.toString().chars().anyMatch(c -> c < ' ' || "\"$`\\'".indexOf(c) >= 0)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "The path " + path + " holds one of the characters \" $ ` ' \\ or a control character;"
                            + " PostgreSQL's own programs cannot handle those. Choose another directory.");
        }
    }

    Path ownerLock() {
        return directory.resolve("owner.lock");
    }

    Path ownerPid() {
        return directory.resolve("owner.pid");
    }

    Path password() {
        return directory.resolve("password");
    }

    Path port() {
        return directory.resolve("port");
    }

    Path data() {
        return directory.resolve("data");
    }

    String unfinishedDataPrefix() {
        return "data.new-";
    }

    Path serverLog() {
        return directory.resolve("server.log");
    }

    Path commandLog() {
        return directory.resolve("command.log");
    }
}
