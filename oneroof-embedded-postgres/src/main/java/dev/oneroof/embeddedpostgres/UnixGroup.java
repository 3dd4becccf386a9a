package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Groups with one member. Many systems give each user such a group and let it write by default (umask 002); a directory that
 * it may write is then its owner's alone all the same.
 */
final class UnixGroup {
    private static final Path USERS = Path.of("/etc/passwd");
    private static final Path GROUPS = Path.of("/etc/group");

    private UnixGroup() {}

    /** Whether only the group may write besides the owner, and the owner is all of that group. Unknown groups are not. */
    static boolean isPrivate(FileFacts facts) {
        if (!facts.onlyTheGroupMayWrite()) {
            return false;
        }
        try {
            List<String[]> users = lines(USERS);
            String gid = Integer.toString(facts.gid());
            String uid = Integer.toString(facts.uid());
            Set<String> owner = users.stream()
                    .filter(user -> user[2].equals(uid))
                    .map(user -> user[0])
                    .collect(Collectors.toSet());
            List<String[]> groups =
                    lines(GROUPS).stream().filter(group -> group[2].equals(gid)).toList();
            boolean isOfOthers = users.stream().anyMatch(user -> user[3].equals(gid) && !user[2].equals(uid))
                    || groups.stream()
                            .flatMap(group -> Stream.of(group[3].split(",", -1)))
                            .anyMatch(member -> !member.isBlank() && !owner.contains(member));
            return !groups.isEmpty() && !isOfOthers;
        } catch (IOException e) {
            return false;
        }
    }

    private static List<String[]> lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length > 3)
                    .toList();
        }
    }
}
