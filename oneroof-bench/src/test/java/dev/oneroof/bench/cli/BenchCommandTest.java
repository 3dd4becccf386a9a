package dev.oneroof.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.CommandContext;
import dev.oneroof.app.cli.Console;
import dev.oneroof.app.cli.OneRoofCommandLine;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code bench} as a noun of the command, where this module is on the class path. */
class BenchCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void addsBenchToTheCommand() {
        assertThat(run("--help")).isZero();

        assertThat(printed(out)).containsPattern("\\n  bench +Run benchmarks and trials");
    }

    @Test
    void showsTheHelpOfEveryBench() {
        assertThat(run("bench", "tail", "--help")).isZero();

        assertThat(printed(out)).startsWith("Usage: oneroof bench tail").contains("--db=URL", "--json", "(default 15)");
    }

    @Test
    void refusesAMissingOrUnknownBench() {
        assertThat(run("bench")).isEqualTo(2);
        assertThat(run("bench", "tial")).isEqualTo(2);
        assertThat(run("bench", "tail", "--rounds", "0")).isEqualTo(2);

        assertThat(printed(out)).isEmpty();
        assertThat(printed(err))
                .contains("missing bench; use backfill, crash")
                .contains("unknown command 'tial'; did you mean 'tail'?")
                .contains("--rounds: '0' is not allowed; allowed is a whole number from 1 to 1000");
    }

    @Test
    void refusesToCrashAnotherServer() {
        assertThat(run("bench", "crash", "--db", "postgres://ann@127.0.0.1:1/registry"))
                .isEqualTo(2);

        assertThat(printed(err))
                .isEqualTo("oneroof: --db: not allowed; this trial crashes its server and uses only its own\n");
    }

    private int run(String... words) {
        return OneRoofCommandLine.run(new CommandContext(Map.of(), new Console(out, err)), words);
    }

    private static String printed(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
