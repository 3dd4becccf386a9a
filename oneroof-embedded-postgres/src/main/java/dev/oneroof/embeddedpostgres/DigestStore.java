package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The caller's own notes on archives and on programs that were compared with them, in the caller's cache directory. Not in the
 * home: a home may be planted, or unpacked from somewhere, and would bring notes that fit its programs. Where there is no such
 * directory, nothing is remembered; then each start reads the archive through, which takes seconds.
 */
final class DigestStore {
    private static final Logger log = LoggerFactory.getLogger(DigestStore.class);
    private static final Trust TRUST = Trust.CACHE;

    private final @Nullable Path directory;

    DigestStore(@Nullable Path directory) {
        this.directory = directory;
    }

    static DigestStore ofCaller() {
        String cache = System.getenv("XDG_CACHE_HOME");
        try {
            Path base = cache == null || cache.isBlank()
                    ? Path.of(System.getProperty("user.home", ""), ".cache")
                    : Path.of(cache);
            return new DigestStore(base.isAbsolute() ? base.resolve("oneroof") : null);
        } catch (InvalidPathException e) {
            return new DigestStore(null);
        }
    }

    Optional<Manifest> manifest(String archive) {
        return read("manifest-" + archive).flatMap(text -> {
            try {
                return Optional.of(Manifest.parse(text));
            } catch (IOException e) {
                return Optional.empty();
            }
        });
    }

    void keep(String archive, Manifest manifest) {
        write("manifest-" + archive, manifest.asText());
    }

    Optional<String> seal(Path programs) {
        return read(sealName(programs)).map(String::strip);
    }

    void keepSeal(Path programs, String seal) {
        write(sealName(programs), seal);
    }

    private static String sealName(Path programs) {
        byte[] path = programs.toString().getBytes(StandardCharsets.UTF_8);
        return "seal-"
                + HexFormat.of().formatHex(Manifest.sha256().digest(path)).substring(0, 32);
    }

    private Optional<String> read(String name) {
        if (directory == null) {
            return Optional.empty();
        }
        try {
            Path own = TRUST.resolved(directory);
            TRUST.requireOwn(own);
            Path file = own.resolve(name);
            TRUST.requireOwn(file);
            return Optional.of(Files.readString(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | OneRoofException e) {
            log.info("No digests of programs are remembered in {}: {}", directory, e.getMessage());
            return Optional.empty();
        }
    }

    private void write(String name, String text) {
        if (directory == null) {
            return;
        }
        try {
            Files.createDirectories(directory, DurableFile.PRIVATE_DIRECTORY);
            Path own = TRUST.resolved(directory);
            TRUST.requireOwn(own);
            // Several processes may write the same at once; each has a file of its own and moves it into place.
            Path unfinished = own.resolve(name + "." + UUID.randomUUID());
            try {
                DurableFile.write(unfinished, text);
                DurableFile.rename(unfinished, own.resolve(name));
            } finally {
                Files.deleteIfExists(unfinished);
            }
        } catch (IOException | OneRoofException e) {
            log.info("No digests of programs are remembered in {}: {}", directory, e.getMessage());
        }
    }
}
