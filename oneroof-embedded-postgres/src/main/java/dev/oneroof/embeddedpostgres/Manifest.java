package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/** What an archive unpacks to: each path below the root, and what is there. */
record Manifest(SortedMap<String, Entry> entries) {
    sealed interface Entry {}

    record Folder() implements Entry {}

    record Link(String target) implements Entry {}

    /** The SHA-256 of its content, in hexadecimal digits. */
    record Content(String digest) implements Entry {}

    /** Reads an archive through without unpacking it. That takes seconds. */
    static Manifest ofArchive(InputStream packed) throws IOException {
        Draft draft = new Draft();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = Path.of(entry.getName()).normalize();
                if (entry.isDirectory()) {
                    draft.folder(path);
                } else if (entry.isSymbolicLink()) {
                    draft.link(path, entry.getLinkName());
                } else {
                    draft.file(path, tar, null);
                }
            }
        }
        return draft.finished();
    }

    static String digest(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return digest(in, OutputStream.nullOutputStream());
        }
    }

    private static String digest(InputStream in, OutputStream out) throws IOException {
        // Not closed: more of the archive may follow.
        DigestInputStream digesting = new DigestInputStream(in, sha256());
        digesting.transferTo(out);
        return HexFormat.of().formatHex(digesting.getMessageDigest().digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** One line for each entry, the path last. */
    String asText() {
        return entries.entrySet().stream()
                .map(entry -> switch (entry.getValue()) {
                    case Folder folder -> "d\t\t" + entry.getKey();
                    case Link link -> "l\t" + link.target() + "\t" + entry.getKey();
                    case Content content -> "f\t" + content.digest() + "\t" + entry.getKey();
                })
                .collect(Collectors.joining("\n"));
    }

    static Manifest parse(String text) throws IOException {
        SortedMap<String, Entry> entries = new TreeMap<>();
        for (String line : text.lines().toList()) {
            String[] fields = line.split("\t", -1);
            if (fields.length != 3) {
                throw new IOException("not a line of a manifest: " + line);
            }
            Entry entry = switch (fields[0]) {
                case "d" -> new Folder();
                case "l" -> new Link(fields[1]);
                case "f" -> new Content(fields[1]);
                default -> throw new IOException("not a line of a manifest: " + line);
            };
            entries.put(fields[2], entry);
        }
        return new Manifest(entries);
    }

    /** A manifest in the making. */
    static final class Draft {
        private final SortedMap<String, Entry> entries = new TreeMap<>();

        void folder(Path path) throws IOException {
            if (!path.toString().isEmpty()) {
                put(path, new Folder());
            }
        }

        void link(Path path, String target) throws IOException {
            put(path, new Link(plain(target)));
        }

        /** Reads the file up to its end, and writes it to {@code copy} where one is wanted. */
        void file(Path path, InputStream in, @Nullable Path copy) throws IOException {
            if (copy == null) {
                put(path, new Content(digest(in, OutputStream.nullOutputStream())));
                return;
            }
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.CREATE_NEW)) {
                put(path, new Content(digest(in, out)));
            }
        }

        private void put(Path path, Entry entry) throws IOException {
            for (Path above = path.getParent(); above != null; above = above.getParent()) {
                entries.putIfAbsent(plain(above.toString()), new Folder());
            }
            entries.put(plain(path.toString()), entry);
        }

        private static String plain(String text) throws IOException {
            if (text.chars().anyMatch(c -> c < ' ')) {
                throw new IOException("The archive holds a name with a control character: " + text);
            }
            return text;
        }

        Manifest finished() {
            return new Manifest(entries);
        }
    }
}
