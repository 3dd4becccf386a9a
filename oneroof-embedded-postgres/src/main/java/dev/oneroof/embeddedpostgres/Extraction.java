package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** Unpacks one archive into one directory, and nothing outside of it. */
final class Extraction {
    private final Path root;
    private final Manifest.Draft manifest = new Manifest.Draft();

    Extraction(Path root) throws IOException {
        this.root = root.toRealPath();
    }

    /** Returns what was unpacked. */
    Manifest extract(InputStream packed) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                place(tar, entry);
            }
        }
        return manifest.finished();
    }

    private void place(TarArchiveInputStream tar, TarArchiveEntry entry) throws IOException {
        Path target = inside(root, entry.getName(), entry);
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            requireNoDetour(target, entry);
            Files.setPosixFilePermissions(target, permissions((entry.getMode() | 0700) & ~0022));
            manifest.folder(root.relativize(target));
            return;
        }
        Path parent = makeParent(target, entry);
        if (entry.isSymbolicLink()) {
            inside(parent, entry.getLinkName(), entry);
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            manifest.link(root.relativize(target), entry.getLinkName());
        } else if (isPlainFile(entry)) {
            manifest.file(root.relativize(target), tar, target);
            Files.setPosixFilePermissions(target, permissions(entry.getMode() & ~0022));
        } else {
            throw refused(entry, "is neither a file nor a directory nor a symbolic link");
        }
    }

    /** The entry's own answer takes everything for a file that is no directory, hard links and pipes included. */
    private static boolean isPlainFile(TarArchiveEntry entry) {
        return entry.getLinkFlag() == TarConstants.LF_NORMAL || entry.getLinkFlag() == TarConstants.LF_OLDNORM;
    }

    private Path inside(Path from, String name, TarArchiveEntry entry) throws IOException {
        try {
            Path target = from.resolve(name).normalize();
            if (target.startsWith(root)) {
                return target;
            }
        } catch (InvalidPathException e) {
            throw refused(entry, "has an impossible name");
        }
        throw refused(entry, "leads out of the directory it is extracted to");
    }

    private Path makeParent(Path target, TarArchiveEntry entry) throws IOException {
        Path parent = target.getParent();
        if (parent == null || !parent.startsWith(root)) {
            throw refused(entry, "leads out of the directory it is extracted to");
        }
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
            for (Path made = parent; made != null && !made.equals(root); made = made.getParent()) {
                Files.setPosixFilePermissions(made, permissions(0755));
            }
        }
        requireNoDetour(parent, entry);
        return parent;
    }

    /** Below a link that was extracted earlier, two dots count from elsewhere than the name says. */
    private static void requireNoDetour(Path directory, TarArchiveEntry entry) throws IOException {
        if (!directory.toRealPath().equals(directory)) {
            throw refused(entry, "lies below a symbolic link");
        }
    }

    private static IOException refused(TarArchiveEntry entry, String why) {
        return new IOException("The entry '" + entry.getName() + "' of the archive " + why + ".");
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        // Constants in the order of the mode's bits, from the highest: rwx of the owner, the group, the others.
        PosixFilePermission[] bits = PosixFilePermission.values();
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < bits.length; i++) {
            if ((mode & (0400 >> i)) != 0) {
                permissions.add(bits[i]);
            }
        }
        return permissions;
    }
}
