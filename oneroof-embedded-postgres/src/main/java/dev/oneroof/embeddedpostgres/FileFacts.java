package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * What the system says about a file or a link itself.
 *
 * @param changedNanos when content, mode or owner changed last. Unlike the time of modification nobody can set it.
 */
record FileFacts(int mode, int uid, int gid, long inode, long size, long modifiedNanos, long changedNanos) {
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int LINK = 0120000;
    private static final int STICKY = 01000;

    static FileFacts of(Path path) throws IOException {
        Map<String, Object> facts = Files.readAttributes(
                path, "unix:mode,uid,gid,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
        return new FileFacts(
                (int) value(facts, "mode"),
                (int) value(facts, "uid"),
                (int) value(facts, "gid"),
                (long) value(facts, "ino"),
                (long) value(facts, "size"),
                ((FileTime) value(facts, "lastModifiedTime")).to(TimeUnit.NANOSECONDS),
                ((FileTime) value(facts, "ctime")).to(TimeUnit.NANOSECONDS));
    }

    private static Object value(Map<String, Object> facts, String name) {
        return Objects.requireNonNull(facts.get(name), name);
    }

    boolean isDirectory() {
        return (mode & TYPE) == DIRECTORY;
    }

    boolean isRegular() {
        return (mode & TYPE) == REGULAR;
    }

    boolean isLink() {
        return (mode & TYPE) == LINK;
    }

    boolean isSticky() {
        return (mode & STICKY) != 0;
    }

    /** The mode of a link means nothing. */
    boolean othersMayWrite() {
        return !isLink() && (mode & 0022) != 0;
    }

    boolean onlyTheGroupMayWrite() {
        return (mode & 0022) == 0020;
    }

    boolean othersMayRead() {
        return (mode & 0044) != 0;
    }

    /** All of them in one line. */
    void writeTo(StringBuilder text) {
        text.append(mode)
                .append(' ')
                .append(uid)
                .append(' ')
                .append(gid)
                .append(' ')
                .append(inode);
        text.append(' ')
                .append(size)
                .append(' ')
                .append(modifiedNanos)
                .append(' ')
                .append(changedNanos);
    }

    String modeText() {
        return String.format(Locale.ROOT, "mode %04o", mode & 07777);
    }
}
