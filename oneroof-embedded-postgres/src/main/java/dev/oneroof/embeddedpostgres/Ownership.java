package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A home has one owner at a time. The operating system's file lock decides, since it ends with the process however that
 * dies.
 *
 * <p>The trap: such a lock belongs to the process and not to the channel. Closing <em>any</em> channel of the lock file
 * in this process gives the lock away, even one that was opened only to look. Hence the static table of what this
 * process holds, asked before the file is touched, and a separate file for the owner's id.
 */
final class Ownership {
    /** A client that looks whether somebody owns the home holds the lock for an instant; an owner must not fail on it. */
    private static final Duration A_LOOK = Duration.ofMillis(300);

    private static final Map<Path, FileChannel> HELD_HERE = new HashMap<>();

    /** Channels on locks that another class loader of this process holds: closing them would give its lock away. */
    private static final List<FileChannel> NEVER_CLOSED = new ArrayList<>();

    private final Home home;
    private boolean released;

    private Ownership(Home home) {
        this.home = home;
    }

    static Ownership take(Home home) {
        if (!Patience.await(A_LOOK, () -> tryTake(home))) {
            throw new OneRoofException(
                    ErrorCode.HOME_IN_USE,
                    "The directory " + home.directory() + " is in use by process " + ownerOf(home)
                            + ". Stop that one, or choose another directory.");
        }
        Ownership ownership = new Ownership(home);
        try {
            DurableFile.write(
                    home.ownerPid(), Long.toString(ProcessHandle.current().pid()));
            return ownership;
        } catch (IOException e) {
            ownership.release();
            throw FileFailure.notWritable(home.directory(), e);
        }
    }

    private static boolean tryTake(Home home) {
        synchronized (HELD_HERE) {
            if (HELD_HERE.containsKey(home.directory())) {
                return false;
            }
            try {
                FileChannel locked = lock(home, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (locked != null) {
                    HELD_HERE.put(home.directory(), locked);
                }
                return locked != null;
            } catch (IOException e) {
                throw FileFailure.notWritable(home.directory(), e);
            }
        }
    }

    private static @Nullable FileChannel lock(Home home, StandardOpenOption... options) throws IOException {
        FileChannel channel = FileChannel.open(home.ownerLock(), Set.of(options), DurableFile.PRIVATE_FILE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            NEVER_CLOSED.add(channel);
            return null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    private static String ownerOf(Home home) {
        try {
            return Files.readString(home.ownerPid()).strip();
        } catch (IOException e) {
            return "(unknown)";
        }
    }

    /** Whether any process, this one included, owns the home now. Makes nothing. */
    static boolean isTaken(Home home) throws IOException {
        synchronized (HELD_HERE) {
            if (HELD_HERE.containsKey(home.directory())) {
                return true;
            }
            try {
                FileChannel locked = lock(home, StandardOpenOption.WRITE);
                if (locked != null) {
                    locked.close();
                }
                return locked == null;
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }

    /** Gives the home back. Nothing happens the second time: by then it may be somebody else's. */
    void release() {
        synchronized (HELD_HERE) {
            if (released) {
                return;
            }
            released = true;
            try (FileChannel held = HELD_HERE.remove(home.directory())) {
                if (held != null) {
                    Files.deleteIfExists(home.ownerPid());
                }
            } catch (IOException e) {
                // Closing gives the lock back even when it reports a problem, and a left owner.pid only informs.
                return;
            }
        }
    }
}
