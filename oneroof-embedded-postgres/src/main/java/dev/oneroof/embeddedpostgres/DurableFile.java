package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Small files that are either there as a whole or not at all, also after a power failure. */
final class DurableFile {
    static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE = permissions("rw-------");
    static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY = permissions("rwx------");

    private DurableFile() {}

    private static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    /** The name of the unfinished file is fixed: only the owner of the directory writes, and one crash leaves one file. */
    static void write(Path file, String text) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, PRIVATE_FILE);
        try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        rename(unfinished, file);
    }

    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        Path parent = to.getParent();
        if (parent != null) {
            sync(parent);
        }
    }

    static void sync(Path fileOrDirectory) throws IOException {
        try (FileChannel channel = FileChannel.open(fileOrDirectory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
