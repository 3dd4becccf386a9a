package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.xz.XZCompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryArchiveTest {
    @TempDir
    Path directory;

    @Test
    void extractsOnceWhenManyAskAtOnce() throws Exception {
        Path cache = Files.createDirectory(directory.resolve("cache"));
        Callable<Installation> install = () -> Given.binaries().cachedIn(cache).install(new Home(directory));
        try (OtherProcess other = OtherProcess.run("install", cache);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Installation>> installs = threads.invokeAll(List.of(install, install));
            assertThat(other.line()).isEqualTo("17");
            for (Future<Installation> done : installs) {
                assertThat(done.get().major()).isEqualTo("17");
                assertThat(Path.of(done.get().pgCtl())).isExecutable();
            }
        }
        assertThat(names(cache)).singleElement().asString().doesNotContain(".new-");
    }

    @Test
    void keepsExecutableBitsAndLinks() throws Exception {
        Path root = Given.binaries().install(new Home(directory)).root();
        assertThat(root.resolve("bin/postgres")).isExecutable();
        assertThat(Files.isExecutable(root.resolve("share/postgresql/postgres.bki")))
                .isFalse();
        try (Stream<Path> libraries = Files.list(root.resolve("lib"))) {
            assertThat(libraries.filter(Files::isSymbolicLink))
                    .isNotEmpty()
                    .allSatisfy(link -> assertThat(link).exists());
        }
    }

    @Test
    void extractsFilesDirectoriesAndLinks() throws Exception {
        extract(file("bin/tool", 0755), link("bin/alias", "tool"), file("share/a/b.txt", 0644));
        assertThat(directory.resolve("bin/alias")).hasContent("content").isExecutable();
        assertThat(directory.resolve("share/a/b.txt")).hasContent("content");
        assertThat(Files.isExecutable(directory.resolve("share/a/b.txt"))).isFalse();
    }

    @Test
    void refusesEntriesThatLeadOut() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        List<List<TarArchiveEntry>> escapes = List.of(
                List.of(file("../escaped", 0644)),
                List.of(file("a/../../escaped", 0644)),
                List.of(link("out", "../..")),
                List.of(link("out", "/etc")),
                List.of(link("a/b/here", "../.."), link("a/b/here/up", "../../.."), file("a/b/here/up/escaped", 0644)),
                List.of(entry("hard link", TarConstants.LF_LINK, 0644)),
                List.of(entry("pipe", TarConstants.LF_FIFO, 0644)));
        for (List<TarArchiveEntry> escape : escapes) {
            FileTree.delete(root);
            Files.createDirectory(root);
            assertThatThrownBy(() -> new Extraction(root).extract(new ByteArrayInputStream(pack(escape))))
                    .as(escape.getLast().getName())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("The entry '");
            assertThat(names(directory)).containsExactly("root");
        }
    }

    private void extract(TarArchiveEntry... entries) throws IOException {
        new Extraction(directory).extract(new ByteArrayInputStream(pack(List.of(entries))));
    }

    private static TarArchiveEntry file(String name, int mode) {
        return entry(name, TarConstants.LF_NORMAL, mode);
    }

    private static TarArchiveEntry link(String name, String target) {
        TarArchiveEntry link = entry(name, TarConstants.LF_SYMLINK, 0777);
        link.setLinkName(target);
        return link;
    }

    private static TarArchiveEntry entry(String name, byte type, int mode) {
        TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
        entry.setMode(mode);
        return entry;
    }

    private static byte[] pack(List<TarArchiveEntry> entries) throws IOException {
        byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new XZCompressorOutputStream(bytes))) {
            for (TarArchiveEntry entry : entries) {
                boolean file = entry.getLinkFlag() == TarConstants.LF_NORMAL;
                entry.setSize(file ? content.length : 0);
                tar.putArchiveEntry(entry);
                if (file) {
                    tar.write(content);
                }
                tar.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    private static List<String> names(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> names.add(String.valueOf(file.getFileName())));
        }
        return names;
    }
}
