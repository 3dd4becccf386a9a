package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A line of the list of users. */
record UnixUser(String name, int uid, int gid) {
    private static final Path USERS = Path.of("/etc/passwd");

    /** Users to run a server as, the best first. They must have a name, since initdb looks theirs up. */
    static List<UnixUser> notRoot() throws IOException {
        try (Stream<String> lines = Files.lines(USERS, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length > 3 && isId(fields[2]) && isId(fields[3]))
                    .map(fields -> new UnixUser(fields[0], Integer.parseInt(fields[2]), Integer.parseInt(fields[3])))
                    .filter(user -> user.uid() != 0)
                    .sorted(Comparator.comparingInt(UnixUser::rank))
                    .toList();
        }
    }

    private static boolean isId(String text) {
        return text.matches("\\d{1,9}");
    }

    private int rank() {
        return switch (name) {
            case "postgres" -> 0;
            case "nobody" -> 1;
            default -> 2;
        };
    }
}
