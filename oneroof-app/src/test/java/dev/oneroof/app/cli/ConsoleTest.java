package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.Main;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fault.PlainStart;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where data does not arrive: no message to whoever has read enough, a failure to whoever lost it. */
@OneRoofTest
class ConsoleTest {
    private static final String AND_ITS_CODE = "{ \"$@\"; echo exit $? >&2; } ";

    @Test
    void endsQuietlyAndWithItsOwnCodeWhenTheReaderHasHadEnough(TestDatabase database) throws Exception {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('sorter', 'external_worker', '{}', 100, 300)");
        assertThat(messages(database, AND_ITS_CODE + "| exec true", "status")).isEqualTo("exit 0\n");

        database.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '400 s'");
        assertThat(messages(database, AND_ITS_CODE + "| exec head -1 >&2", "status"))
                .matches("(?s)1 of 1 silent, [^\n]*\nexit 3\n");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void failsWhenWhatWasAskedForIsLost(TestDatabase database) throws Exception {
        assertThat(messages(database, AND_ITS_CODE + "> /dev/full", "gate", "list"))
                .startsWith("oneroof: stdout: cannot write the output: ")
                .endsWith("\nexit 1\n");
    }

    @Test
    void printsHelpWhereDataGoes(@TempDir Path folder) {
        Oneroof.Answer answer = new Oneroof(folder).run("job", "cancel", "--help");

        assertThat(answer.exit()).isZero();
        assertThat(answer.out()).startsWith("Usage: oneroof job cancel").contains("--reason=TEXT", "--json");
        assertThat(answer.err()).isEmpty();
    }

    /** What the command says on stderr in this script, in which it is {@code "$@"}. */
    private static String messages(TestDatabase database, String script, String... arguments)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = PlainStart.of(line).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment()
                .put("ONEROOF_DB_URL", Oneroof.url(database, database.address().user()));
        builder.environment().put("ONEROOF_DB_PASSWORD", database.address().password());
        Process process = builder.start();
        try {
            String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
