package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.OneRoofException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A second Java process that works on a home, and the test's hold on it. */
final class OtherProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private OtherProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static OtherProcess run(String action, Path directory) throws IOException {
        List<String> line = Stream.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Doneroof.test.postgres.cache=" + Given.CACHE,
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        OtherProcess.class.getName(),
                        action,
                        directory.toString())
                .toList();
        return new OtherProcess(new ProcessBuilder(line)
                .redirectErrorStream(false)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    String line() throws IOException {
        return String.valueOf(output.readLine());
    }

    /** Up to the end of its output, which comes only when nobody holds the other end of the pipe any more. */
    List<String> rest() {
        return CompletableFuture.supplyAsync(() -> output.lines().toList())
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
    }

    long pid() {
        return process.pid();
    }

    void kill() {
        process.destroyForcibly();
        if (!Patience.await(Duration.ofSeconds(20), () -> !process.isAlive())) {
            throw new IllegalStateException("Process " + pid() + " cannot be killed");
        }
    }

    @Override
    public void close() {
        kill();
    }

    /** In the other process. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "own" -> {
                own(directory);
                System.in.read();
            }
            case "abandon" -> {
                own(directory);
                Runtime.getRuntime().halt(0);
            }
            case "running" -> System.out.println(EmbeddedPostgres.running(directory));
            case "install" ->
                System.out.println(PostgresBinaries.bundled()
                        .cachedIn(directory)
                        .install(new Home(directory))
                        .major());
            default -> throw new IllegalArgumentException(Arrays.toString(arguments));
        }
    }

    private static void own(Path directory) {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory));
            System.out.println("open " + server.address().port());
        } catch (OneRoofException e) {
            System.out.println(e.code() + " " + e.getMessage());
        }
    }
}
