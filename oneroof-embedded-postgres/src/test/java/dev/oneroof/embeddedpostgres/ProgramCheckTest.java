package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.error.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a small archive of our own: what is remembered of a comparison, and what is not. */
class ProgramCheckTest {
    @TempDir
    Path directory;

    private Path archive = Path.of("");
    private Path cache = Path.of("");
    private Path notes = Path.of("");

    @BeforeEach
    void pack() throws IOException {
        archive = directory.resolve("programs.txz");
        cache = directory.resolve("cache");
        notes = directory.resolve("notes");
        try (OutputStream out = Files.newOutputStream(archive);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(new XZCompressorOutputStream(out))) {
            add(tar, "share/postgresql/postgres.bki", "# PostgreSQL 17\n");
            add(tar, "bin/tool", "genuine");
        }
    }

    private static void add(TarArchiveOutputStream tar, String name, String content) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        entry.setMode(0777);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    @Test
    void noticesAProgramThatWasChangedAfterItWasRemembered() throws Exception {
        Path tool = remembered().resolve("bin/tool");
        FileTime modified = Files.getLastModifiedTime(tool);

        Files.writeString(tool, "planted");
        Files.setLastModifiedTime(tool, modified);

        assertThat(Given.refused(ErrorCode.HOME_NOT_TRUSTED, this::install)).hasMessageContaining(tool.toString());
    }

    @Test
    void trustsNoNotesThatOthersMayWrite() throws Exception {
        Path root = remembered();
        Path tool = Files.writeString(root.resolve("bin/tool"), "planted");
        // A manifest that fits what was planted.
        try (Stream<Path> files = Files.list(notes)) {
            Path manifest = files.filter(file -> file.toString().contains("manifest-"))
                    .findFirst()
                    .orElseThrow();
            Manifest.Draft planted = new Manifest.Draft();
            planted.file(Path.of("bin/tool"), Files.newInputStream(tool), null);
            planted.file(
                    Path.of("share/postgresql/postgres.bki"),
                    Files.newInputStream(root.resolve("share/postgresql/postgres.bki")),
                    null);
            Files.writeString(manifest, planted.finished().asText());
            Files.setPosixFilePermissions(manifest, PosixFilePermissions.fromString("rw-rw-rw-"));
        }

        Given.refused(ErrorCode.HOME_NOT_TRUSTED, this::install);
    }

    @Test
    void comparesWithTheArchiveWhereNothingIsRemembered() throws Exception {
        Path tool = install().root().resolve("bin/tool");
        FileTree.delete(notes);
        install();
        Files.writeString(tool, "planted");
        FileTree.delete(notes);

        Given.refused(ErrorCode.HOME_NOT_TRUSTED, this::install);
    }

    @Test
    void worksWithoutAPlaceForNotes() throws Exception {
        Path nowhere = Files.writeString(directory.resolve("file"), "").resolve("below");
        for (DigestStore store : new DigestStore[] {new DigestStore(nowhere), new DigestStore(null)}) {
            assertThat(install(store).major()).isEqualTo("17");
        }
    }

    @Test
    void takesWritePermissionsFromWhatItExtracts() throws Exception {
        Path tool = install().root().resolve("bin/tool");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tool)))
                .isEqualTo("rwxr-xr-x");
    }

    /** The first comparison comes too soon after the extraction to be remembered. */
    private Path remembered() throws IOException {
        Path root = install().root();
        assertThat(Patience.await(Duration.ofSeconds(20), () -> {
                    install();
                    return new DigestStore(notes).seal(root).isPresent();
                }))
                .isTrue();
        return root;
    }

    private Installation install() {
        return install(new DigestStore(notes));
    }

    private Installation install(DigestStore store) {
        try {
            return new BinaryArchive(archive.toUri().toURL(), Trust.CACHE, store).installIn(cache);
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
