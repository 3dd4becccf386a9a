package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What a server writes about itself into its data directory. It may be left over from one that is gone. */
record PostmasterFile(long pid, int port, boolean ready) {
    private static final int PID = 0;
    private static final int PORT = 3;
    private static final int STATUS = 7;

    static Path in(Path data) {
        return data.resolve("postmaster.pid");
    }

    /** Empty when there is none, or one that a starting server has only begun to write. */
    static Optional<PostmasterFile> read(Path data) throws IOException {
        try {
            List<String> lines = new String(Files.readAllBytes(in(data)), StandardCharsets.ISO_8859_1)
                    .lines()
                    .map(String::strip)
                    .toList();
            if (lines.size() <= PORT) {
                return Optional.empty();
            }
            boolean ready = lines.size() > STATUS && lines.get(STATUS).equals("ready");
            return Optional.of(
                    new PostmasterFile(Long.parseLong(lines.get(PID)), Integer.parseInt(lines.get(PORT)), ready));
        } catch (NoSuchFileException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
