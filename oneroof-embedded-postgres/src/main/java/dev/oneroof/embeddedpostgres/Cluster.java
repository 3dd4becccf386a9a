package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data directory. It is made aside and renamed when it is complete and on disk, so that {@code data} never is a
 * half-made one, whenever the process or the machine dies.
 */
final class Cluster {
    private static final Logger log = LoggerFactory.getLogger(Cluster.class);
    private static final Duration INITDB = Duration.ofMinutes(5);

    private final Home home;
    private final Installation installation;

    Cluster(Home home, Installation installation) {
        this.home = home;
        this.installation = installation;
    }

    /** Refuses data that these programs cannot serve, before anything is touched. */
    void check() throws IOException {
        if (isMade()) {
            String version = Files.readString(versionFile()).strip();
            if (!version.equals(installation.major())) {
                throw failed("The directory " + home.data() + " holds data of PostgreSQL " + version
                        + ", but the binaries are of PostgreSQL " + installation.major()
                        + ". Use binaries of the same major version, or move the data with a dump.");
            }
            if (!Files.exists(home.adminPassword())) {
                throw failed("The data in " + home.data() + " is there, but the superuser's password in "
                        + home.adminPassword() + " is missing. Put the file back from a backup. Where an earlier"
                        + " development build made the directory, it has none: remove the directory "
                        + home.directory() + " with all its data, or choose another one.");
            }
        } else if (isForeign()) {
            throw failed("The directory " + home.data()
                    + " is not empty and holds no PostgreSQL data. Choose another directory, or empty that one.");
        }
    }

    private boolean isMade() {
        return Files.exists(versionFile());
    }

    private Path versionFile() {
        return home.data().resolve("PG_VERSION");
    }

    private boolean isForeign() throws IOException {
        if (!Files.exists(home.data())) {
            return false;
        }
        try (DirectoryStream<Path> content = Files.newDirectoryStream(home.data())) {
            return content.iterator().hasNext();
        }
    }

    void makeIfMissing(Programs programs, ServerAccount account) throws IOException {
        removeHalfMade();
        if (isMade()) {
            return;
        }
        ServerAccess.ensureAdminPassword(home);
        Path unfinished = home.directory().resolve(home.unfinishedDataPrefix() + UUID.randomUUID());
        try {
            make(unfinished, programs, account);
        } finally {
            removeIfPossible(unfinished);
        }
        log.info("Made a new PostgreSQL {} data directory in {}", installation.major(), home.data());
    }

    private void make(Path unfinished, Programs programs, ServerAccount account) throws IOException {
        Files.createDirectory(unfinished, DurableFile.PRIVATE_DIRECTORY);
        // A copy, because the account may be one that must not read the original.
        Path password = unfinished.resolve("password");
        DurableFile.write(password, Files.readString(home.adminPassword()).strip());
        account.give(password);
        account.give(unfinished);
        Path data = unfinished.resolve("data");
        initialise(data, password, programs);
        DurableFile.rename(data, home.data());
        // The account that made it could have put something else there.
        Home.requireServed(home.data());
    }

    /** Whether the system has the locale shows best by asking for it; where it does not, plain C sorts the same. */
    private void initialise(Path data, Path password, Programs programs) throws IOException {
        if (initdb(data, password, "C.UTF-8", programs).well()) {
            return;
        }
        FileTree.delete(data);
        Programs.Ended ended = initdb(data, password, "C", programs);
        if (!ended.well()) {
            throw failed("The data directory cannot be made; initdb said: " + ended.output());
        }
    }

    private Programs.Ended initdb(Path data, Path password, String locale, Programs programs) {
        return programs.run(
                INITDB,
                installation.initdb(),
                "--pgdata=" + data,
                "--username=" + ServerAccess.ADMIN,
                "--pwfile=" + password,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=" + locale,
                "--lc-messages=C",
                "--data-checksums");
    }

    private void removeHalfMade() throws IOException {
        try (DirectoryStream<Path> left =
                Files.newDirectoryStream(home.directory(), home.unfinishedDataPrefix() + "*")) {
            left.forEach(this::removeIfPossible);
        }
    }

    /** An initdb whose parent was killed may still write there. It ends soon, and the next open removes the rest. */
    private void removeIfPossible(Path unfinished) {
        try {
            FileTree.delete(unfinished);
        } catch (IOException e) {
            log.warn("Cannot remove the half-made data directory {} yet: {}", unfinished, e.toString());
        }
    }

    private static OneRoofException failed(String message) {
        return new OneRoofException(ErrorCode.EMBEDDED_SERVER_FAILED, message);
    }
}
