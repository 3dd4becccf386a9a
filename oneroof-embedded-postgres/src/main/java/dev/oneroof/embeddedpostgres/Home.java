package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The directory of an embedded server and what lies where in it.
 *
 * <pre>
 * owner.lock      locked by the owning process, never written, never deleted
 * owner.pid       who that is, for the message to the second comer
 * password        of the login that programs and people use
 * admin-password  of the superuser
 * port            the last used one
 * data            the cluster; data.new-* is one in the making
 * postgres-*      extracted binaries, unless they are kept elsewhere
 * server.log      what the server says; command.log: what the last program said
 * </pre>
 *
 * <p>All of it belongs to the caller, and nobody else may write it. Where root runs the server as another user, that user owns
 * {@code data} and {@code server.log}.
 */
record Home(Path directory) {
    /** Makes the directory when it is missing. The path is the real one, so that two names of it are one home. */
    static Home prepare(Path directory) {
        try {
            createDirectories(directory);
            // Checked after it was made: in a directory that many may write, another user may have been quicker.
            Home home = trusted(directory);
            requirePlain(home.directory());
            return home;
        } catch (IOException e) {
            throw FileFailure.notWritable(directory, e);
        }
    }

    static Optional<Home> existing(Path directory) {
        try {
            return Optional.of(trusted(directory));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Home trusted(Path directory) throws IOException {
        Path real = Trust.HOME.resolved(directory);
        Trust.HOME.requireOwn(real);
        Home home = new Home(real);
        home.requireOwnContent();
        return home;
    }

    /** Nobody else can have put anything here unless the home was open to them once, or was moved here. */
    private void requireOwnContent() throws IOException {
        for (Path file : List.of(ownerLock(), ownerPid(), port(), commandLog())) {
            check(file, Trust.HOME::requireOwn);
        }
        for (Path secret : List.of(password(), adminPassword())) {
            check(secret, Trust.HOME::requireSecret);
        }
        for (Path served : List.of(data(), serverLog())) {
            check(served, Home::requireServed);
        }
    }

    private interface Check {
        void of(Path file) throws IOException;
    }

    /** The owner of a home that is in use writes some of them anew, so one may be gone between two looks. */
    private static void check(Path file, Check check) throws IOException {
        try {
            check.of(file);
        } catch (NoSuchFileException e) {
            return;
        }
    }

    /** Root gives these to the account that its server runs as, which is one of the system's. */
    static void requireServed(Path file) throws IOException {
        Set<Integer> owners = new HashSet<>(Set.of(Trust.caller()));
        if (Trust.caller() == 0) {
            UnixUser.notRoot().forEach(user -> owners.add(user.uid()));
        }
        Trust.HOME.requireOwnedBy(owners, file);
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
            requireSafeAbove(parent);
            Files.createDirectories(parent);
        }
        Files.createDirectories(directory, DurableFile.PRIVATE_DIRECTORY);
    }

    /** So that nothing is made where it would be refused. */
    private static void requireSafeAbove(Path directory) throws IOException {
        Path there = directory;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        Trust.HOME.requireSafe(Trust.HOME.resolved(there));
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

    Path adminPassword() {
        return directory.resolve("admin-password");
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
