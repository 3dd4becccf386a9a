package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packed programs. They are extracted next to their final place and renamed into it, so that whoever finds the
 * directory finds all of it. Two processes at once both extract; the second to finish throws its copy away.
 */
final class BinaryArchive {
    private static final Logger log = LoggerFactory.getLogger(BinaryArchive.class);

    private static final String UNFINISHED = ".new-";

    /** Long enough that nobody still extracts into a directory of that age. */
    private static final Duration ABANDONED = Duration.ofHours(1);

    private static final FileAttribute<Set<PosixFilePermission>> OWNED =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));

    private final URL url;
    private final Trust trust;
    private final DigestStore digests;

    BinaryArchive(URL url, Trust trust, DigestStore digests) {
        this.url = url;
        this.trust = trust;
        this.digests = digests;
    }

    /** Whatever lies there is compared with the archive before it is used. */
    Installation installIn(Path cache) {
        try {
            Files.createDirectories(cache, OWNED);
            Path realCache = trust.resolved(cache);
            trust.requireSafe(realCache);
            Home.requirePlain(realCache);
            String fingerprint = fingerprint();
            Path target = realCache.resolve("postgres-" + fingerprint);
            if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                removeAbandoned(realCache);
                digests.keep(fingerprint, extractTo(target));
            }
            new ProgramCheck(trust, target, digests).compareWith(manifest(fingerprint));
            return Installation.at(target);
        } catch (IOException e) {
            throw FileFailure.notExtracted(url.toString(), cache, e);
        }
    }

    private Manifest manifest(String fingerprint) throws IOException {
        Optional<Manifest> known = digests.manifest(fingerprint);
        if (known.isPresent()) {
            return known.get();
        }
        log.info("Reading {} through, to compare the extracted programs with it", url);
        try (InputStream in = open()) {
            Manifest manifest = Manifest.ofArchive(in);
            digests.keep(fingerprint, manifest);
            return manifest;
        }
    }

    /** Names the content. A jar knows it by heart; otherwise the archive is read once for the same answer. */
    private String fingerprint() throws IOException {
        URLConnection connection = connect();
        if (connection instanceof JarURLConnection jar) {
            try (JarFile file = jar.getJarFile()) {
                JarEntry entry = file.getJarEntry(jar.getEntryName());
                if (entry != null && entry.getCrc() != -1 && entry.getSize() != -1) {
                    return fingerprint(entry.getCrc(), entry.getSize());
                }
            }
        }
        try (CheckedInputStream in = new CheckedInputStream(open(), new CRC32())) {
            long size = in.transferTo(OutputStream.nullOutputStream());
            return fingerprint(in.getChecksum().getValue(), size);
        }
    }

    private static String fingerprint(long crc, long size) {
        return String.format(Locale.ROOT, "%08x-%d", crc, size);
    }

    private InputStream open() throws IOException {
        return connect().getInputStream();
    }

    /** Without the JVM's cache of opened jars, which would keep the file open for good. */
    private URLConnection connect() throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        return connection;
    }

    private Manifest extractTo(Path target) throws IOException {
        Path unfinished = target.resolveSibling(target.getFileName() + UNFINISHED + UUID.randomUUID());
        Files.createDirectory(unfinished);
        try {
            // Its mode is set by hand: under a narrow umask the account that the server runs as could not enter.
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
            Manifest manifest;
            try (InputStream in = open()) {
                manifest = new Extraction(unfinished).extract(in);
            }
            // Without this a power failure can leave the directory under its final name with empty files in it.
            FileTree.sync(unfinished);
            moveUnlessThere(unfinished, target);
            return manifest;
        } finally {
            FileTree.delete(unfinished);
        }
    }

    private static void moveUnlessThere(Path unfinished, Path target) throws IOException {
        try {
            DurableFile.rename(unfinished, target);
            log.info("Extracted the PostgreSQL binaries to {}", target);
        } catch (IOException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
            log.debug("Another process was first to extract {}", target);
        }
    }

    static void removeUnfinished(Path directory) {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, "postgres-*" + UNFINISHED + "*")) {
            for (Path left : unfinished) {
                FileTree.delete(left);
            }
        } catch (IOException e) {
            throw FileFailure.failed(directory, e);
        }
    }

    private static void removeAbandoned(Path cache) throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(cache, "postgres-*" + UNFINISHED + "*")) {
            for (Path directory : unfinished) {
                if (isAbandoned(directory)) {
                    FileTree.delete(directory);
                }
            }
        }
    }

    private static boolean isAbandoned(Path directory) throws IOException {
        try {
            Instant changed = Files.getLastModifiedTime(directory).toInstant();
            return changed.isBefore(Instant.now().minus(ABANDONED));
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
