package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneId;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where a test server lives for as long as it runs, and what it is started with. */
record ServerDirectory(Path path) {
    /** Names the directory that keeps the unpacked programs from one test run to the next. */
    private static final String CACHE_PROPERTY = "oneroof.test.postgres.cache";

    static ServerDirectory create() {
        try {
            return new ServerDirectory(Files.createTempDirectory("oneroof-test-"));
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.HOME_NOT_WRITABLE, "No temporary directory for a test server: " + e.getMessage(), e);
        }
    }

    /** As in production, but for the connections of parallel tests, and an odd zone for clients that send none. */
    EmbeddedConfig config(PostgresVersion version, ZoneId zone) {
        return EmbeddedConfig.in(path)
                .withBinaries(version.binaries().cachedIn(cache()))
                .withSettings(Map.of("max_connections", "300", "timezone", zone.getId()));
    }

    private static Path cache() {
        String set = System.getProperty(CACHE_PROPERTY, "");
        return set.isBlank() ? Path.of(System.getProperty("user.home"), ".cache", "oneroof", "postgres") : Path.of(set);
    }

    /** Copies the data of a server that is down; the server's own recovery makes them whole at the next start. */
    void backUp() {
        copy(data(), backup());
    }

    /** Takes the data of a server that is down back to what they were at {@link #backUp()}. */
    void restore() {
        delete(data());
        copy(backup(), data());
    }

    private Path data() {
        return path.resolve("data");
    }

    private Path backup() {
        return path.resolve("data-backup");
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.HOME_NOT_WRITABLE, "Cannot copy " + from + " to " + to + ": " + e.getMessage(), e);
        }
    }

    void delete() {
        delete(path);
    }

    private static void delete(Path path) {
        try {
            Files.walkFileTree(path, new Deletion());
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.HOME_NOT_WRITABLE, "Cannot delete the test server's " + path + ": " + e.getMessage(), e);
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        /** Gone already is as good: an ending server takes some of its files along. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
