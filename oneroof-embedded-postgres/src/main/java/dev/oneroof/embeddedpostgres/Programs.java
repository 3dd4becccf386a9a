package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs programs for a home, as one account. They get a file and no pipe of ours to write to, and nothing to read: a
 * server that inherited our output would keep the caller of {@code out=$(oneroof ...)} waiting for as long as it lives.
 */
final class Programs {
    private final Home home;
    private final ServerAccount account;

    Programs(Home home, ServerAccount account) {
        this.home = home;
        this.account = account;
    }

    /** How a program ended and what it said. */
    record Ended(int code, String output) {
        boolean well() {
            return code == 0;
        }
    }

    Ended run(Duration limit, String... line) {
        return run(limit, List.of(line));
    }

    Ended run(Duration limit, List<String> line) {
        Process process = launch(line);
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Ended(process.exitValue(), output());
            }
            throw new OneRoofException(
                    ErrorCode.EMBEDDED_SERVER_FAILED,
                    line.getFirst() + " did not end within " + limit.toSeconds() + " s. It said: " + output());
        } catch (InterruptedException e) {
            throw Patience.interrupted(e);
        } finally {
            endIfAlive(process);
        }
    }

    /** Only what still lives: the id of an ended process may already be somebody else's. */
    private static void endIfAlive(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    private Process launch(List<String> line) {
        List<String> all =
                Stream.concat(account.prefix().stream(), line.stream()).toList();
        ProcessBuilder builder = new ProcessBuilder(all)
                // Ours may be one that the account cannot enter, which PostgreSQL's programs refuse.
                .directory(home.directory().toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(home.commandLog().toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        try {
            // Redirecting would make it as the umask says.
            if (!Files.exists(home.commandLog(), LinkOption.NOFOLLOW_LINKS)) {
                Files.createFile(home.commandLog(), DurableFile.PRIVATE_FILE);
            }
            return builder.start();
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.EMBEDDED_SERVER_FAILED, all.getFirst() + " cannot be run: " + e.getMessage(), e);
        }
    }

    private String output() {
        try {
            return new String(Files.readAllBytes(home.commandLog()), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(" + e.getMessage() + ")";
        }
    }
}
