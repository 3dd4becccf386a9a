package dev.oneroof.embeddedpostgres;

import com.sun.security.auth.module.UnixSystem;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Refuses files that another user has put there, or could change while they are used.
 *
 * <p>A home holds programs that are run as the caller, so a home that another user planted would run theirs. Checking the
 * home alone is not enough: who may rename a directory above it can exchange it after the check. So every directory on the
 * way is checked first. From then on only the caller, root, and accounts that control the program anyway can change what was
 * found, and looking first and using afterwards is sound.
 */
public final class Trust {
    private static final int ROOT = 0;
    private static final int MOST_LINKS = 40;
    private static final int CALLER = (int) new UnixSystem().getUid();
    private static final Set<Integer> ABOVE = ownersAbove();

    /** For a home and what lies in it. */
    static final Trust HOME = new Trust("Or choose another directory.");

    /** For programs that are kept elsewhere. */
    static final Trust CACHE = new Trust("Or keep the programs in another directory.");

    private final String otherwise;

    private Trust(String otherwise) {
        this.otherwise = otherwise;
    }

    /**
     * Refuses a file that other users own or may write, or could exchange.
     *
     * @param otherwise what else the caller can do, as a sentence
     * @throws OneRoofException HOME_NOT_TRUSTED
     */
    public static void demand(Path file, String otherwise) throws IOException {
        Trust trust = new Trust(otherwise);
        trust.requireSafe(trust.resolved(file));
    }

    /** The user that this process runs as. */
    static int caller() {
        return CALLER;
    }

    /** The path without links, after a check of every directory and link on the way; the last one itself is not checked. */
    Path resolved(Path path) throws IOException {
        Path root = path.toAbsolutePath().getRoot();
        Deque<Path> left = new ArrayDeque<>();
        path.toAbsolutePath().forEach(left::addLast);
        Path at = root;
        requireSafe(at);
        int links = 0;
        while (!left.isEmpty()) {
            Path next = at.resolve(left.removeFirst()).normalize();
            FileFacts facts = FileFacts.of(next);
            if (!facts.isLink()) {
                at = next;
                if (!left.isEmpty()) {
                    requireSafe(at);
                }
                continue;
            }
            if (++links > MOST_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            if (!ABOVE.contains(facts.uid())) {
                throw refused("The link %s on the way to %s %s".formatted(next, path, belongs(facts)), "");
            }
            Path target = Files.readSymbolicLink(next);
            at = target.isAbsolute() ? root : at;
            Deque<Path> names = new ArrayDeque<>();
            target.forEach(names::addFirst);
            names.forEach(left::addFirst);
        }
        return at;
    }

    /** A directory above, or a file: nobody but a trusted owner may change it. */
    void requireSafe(Path path) throws IOException {
        FileFacts facts = FileFacts.of(path);
        if (!ABOVE.contains(facts.uid())) {
            throw refused(
                    "%s %s".formatted(path, belongs(facts)),
                    "Allowed are user %d and root: another owner could exchange what lies there".formatted(CALLER));
        }
        // In a sticky one, such as /tmp, only the owner of an entry may exchange it; and that owner is checked next.
        boolean isShared = facts.isDirectory() && facts.isSticky();
        if (facts.othersMayWrite() && !isShared && !UnixGroup.isPrivate(facts)) {
            throw refused(
                    "%s may be written by others (%s), who could exchange what lies there"
                            .formatted(path, facts.modeText()),
                    "Run: chmod go-w %s".formatted(path));
        }
    }

    /** A directory or file of the caller's alone. */
    void requireOwn(Path path) throws IOException {
        requireOwnedBy(Set.of(CALLER), path);
    }

    /** A directory or file, and no link, that one of the users owns and that nobody else may write. */
    FileFacts requireOwnedBy(Set<Integer> owners, Path path) throws IOException {
        FileFacts facts = FileFacts.of(path);
        requireOwnedBy(owners, path, facts);
        return facts;
    }

    void requireOwnedBy(Set<Integer> owners, Path path, FileFacts facts) {
        if (facts.isLink()) {
            throw refused("%s is a symbolic link, and OneRoof makes none there".formatted(path), "");
        }
        if (!owners.contains(facts.uid())) {
            throw refused(
                    "%s %s".formatted(path, belongs(facts)),
                    "Allowed is user %s. Where you trust all that is in it: chown -R %d %s"
                            .formatted(
                                    owners.contains(CALLER) ? Integer.toString(CALLER) : owners.toString(),
                                    CALLER,
                                    path));
        }
        if (facts.othersMayWrite()) {
            throw refused(
                    "%s may be written by others (%s)".formatted(path, facts.modeText()),
                    "Where you trust all that is in it: chmod go-w %s".formatted(path));
        }
    }

    /** As {@link #requireOwn}, and others may not even read it. */
    void requireSecret(Path file) throws IOException {
        FileFacts facts = requireOwnedBy(Set.of(CALLER), file);
        if (facts.othersMayRead()) {
            throw refused(
                    "%s holds a password and may be read by others (%s)".formatted(file, facts.modeText()),
                    "Run: chmod 600 %s".formatted(file));
        }
    }

    OneRoofException refused(String what, String allowed) {
        return new OneRoofException(
                ErrorCode.HOME_NOT_TRUSTED,
                "%s. %s%s".formatted(what, allowed.isEmpty() ? "" : allowed + ". ", otherwise));
    }

    private static String belongs(FileFacts facts) {
        return "belongs to user %d, and this process runs as user %d".formatted(facts.uid(), CALLER);
    }

    /**
     * Who may own a directory above: the caller, root, and who could replace the running program: the owners of its files and
     * of the directories above them. The last matter in a container, where root runs a project that a user of the host owns.
     */
    private static Set<Integer> ownersAbove() {
        Set<Integer> owners = new HashSet<>(List.of(ROOT, CALLER));
        CodeSource source = Trust.class.getProtectionDomain().getCodeSource();
        try {
            for (Path at = source == null ? null : Path.of(source.getLocation().toURI());
                    at != null;
                    at = at.getParent()) {
                owners.add(FileFacts.of(at).uid());
            }
        } catch (IOException | URISyntaxException | IllegalArgumentException e) {
            return Set.copyOf(List.of(ROOT, CALLER)); // no program in a file: nobody else to trust
        }
        return Set.copyOf(owners);
    }
}
