package dev.oneroof.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.PostgresBinaries;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.testkit.fault.PlainStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the README's shell blocks as they stand, by the real launcher on the finished app. */
class ReadmeIT {
    private static final Path ROOT = Path.of(System.getProperty("oneroof.test.root"));
    private static final Pattern SHELL_BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void saysNothingThatDoesNotWork() throws Exception {
        List<String> blocks = SHELL_BLOCK
                .matcher(Files.readString(ROOT.resolve("README.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(5);

        try (EmbeddedPostgres yours = EmbeddedPostgres.open(EmbeddedConfig.in(folder.resolve("yours"))
                .withBinaries(PostgresBinaries.bundled()
                        .cachedIn(Path.of(System.getProperty("oneroof.test.postgres.cache")))))) {
            for (String block : blocks) {
                run(
                        block.replaceAll("postgres://\\S+", Matcher.quoteReplacement(url(yours.address()))),
                        yours.address());
            }
        }
    }

    private void run(String script, ServerAddress yours) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder shell = PlainStart.of(List.of("bash", "-eu", "-c", script))
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        shell.environment().put("ONEROOF_HOME", folder.resolve("home").toString());
        shell.environment().put("PGPASSWORD", yours.password());
        Process process = shell.start();
        boolean ended = process.waitFor(5, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        assertThat(ended).as("ended in time: " + script).isTrue();
        // A bench ends with 3 when a figure does not hold, and how quick a shared machine is proves nothing.
        Integer[] fine = script.contains(" bench ") ? new Integer[] {0, 3} : new Integer[] {0};
        assertThat(process.exitValue())
                .as(script + "\n" + Files.readString(output))
                .isIn((Object[]) fine);
    }

    private static String url(ServerAddress address) {
        return "postgres://%s@%s:%d/postgres".formatted(address.user(), address.host(), address.port());
    }
}
