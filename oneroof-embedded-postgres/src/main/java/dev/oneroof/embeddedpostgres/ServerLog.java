package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** The file a server writes its messages to; its last lines are the best explanation when it does not start. */
final class ServerLog {
    private static final long ROTATED_AT = 16L << 20;
    private static final int QUOTED_BYTES = 8 << 10;
    private static final int QUOTED_LINES = 15;

    private final Path file;
    private long start;

    ServerLog(Path file) {
        this.file = file;
    }

    /** To be called before each start: one older file is kept, and only what is written from here on gets quoted. */
    void prepare(ServerAccount account) throws IOException {
        if (Files.exists(file) && Files.size(file) > ROTATED_AT) {
            Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.exists(file)) {
            Files.createFile(file, DurableFile.PRIVATE_FILE);
        }
        account.give(file);
        start = Files.size(file);
    }

    String path() {
        return file.toString();
    }

    /** Says it in one line per line, ready to be put at the end of a message. */
    String lastLines() {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long length = log.length();
            log.seek(Math.max(start, length - QUOTED_BYTES));
            byte[] bytes = new byte[(int) (length - log.getFilePointer())];
            log.readFully(bytes);
            List<String> lines =
                    new String(bytes, StandardCharsets.UTF_8).lines().toList();
            List<String> last = lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size());
            return last.isEmpty() ? "(nothing)" : String.join(System.lineSeparator(), last);
        } catch (IOException e) {
            return "(" + e.getMessage() + ")";
        }
    }
}
