package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The living processes of the server of one data directory. A process id in a file proves nothing: after a crash of the
 * machine it can be anybody's. What proves it is the program, and the data directory as its working directory.
 */
final class ServerProcesses {
    private static final Path PROC = Path.of("/proc");

    private final Path data;

    ServerProcesses(Path data) {
        this.data = data;
    }

    boolean any() {
        return !all().isEmpty();
    }

    /** With the children, where the system shows them: one that outlives its parent still keeps the next server out. */
    List<ProcessHandle> all() {
        try {
            return Files.exists(PROC.resolve("self/cwd")) ? fromProc() : fromPostmasterFile();
        } catch (IOException e) {
            return List.of();
        }
    }

    private List<ProcessHandle> fromProc() throws IOException {
        List<ProcessHandle> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (data.equals(link(process.resolve("cwd"))) && isPostgres(link(process.resolve("exe")))) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private static @Nullable Path link(Path path) {
        try {
            return Files.readSymbolicLink(path);
        } catch (IOException e) {
            return null; // gone, a zombie, or somebody else's: not ours in any case
        }
    }

    /** A deleted program reads as "postgres (deleted)". */
    private static boolean isPostgres(@Nullable Path program) {
        Path name = program == null ? null : program.getFileName();
        return name != null
                && (name.toString().equals("postgres") || name.toString().startsWith("postgres "));
    }

    private List<ProcessHandle> fromPostmasterFile() throws IOException {
        return PostmasterFile.read(data).flatMap(file -> ProcessHandle.of(file.pid())).stream()
                .filter(ProcessHandle::isAlive)
                .filter(process ->
                        isPostgres(process.info().command().map(Path::of).orElse(null)))
                .filter(process -> servesData(process.info().arguments()))
                .toList();
    }

    private boolean servesData(Optional<String[]> arguments) {
        return arguments.map(words -> List.of(words).contains(data.toString())).orElse(true);
    }
}
