package dev.oneroof.app.cli.finding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OneRoofTest
class FindingCommandTest {
    @TempDir
    private Path folder;

    @Test
    void listsShowsAcknowledgesMutesAndResolves(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("finding", "list").err()).contains("there is no finding");
        long id = database.value(
                Long.class,
                "SELECT oneroof.fn_finding_raise('cursor_lag', 'biller/parcels/0', 'it lags', '{\"rows\": 7}', NULL, 1)");
        String name = String.valueOf(id);

        assertThat(command.run("finding", "list").out()).contains("cursor_lag", "biller/parcels/0", "it lags", "open");
        assertThat(command.run("finding", "show", name).out()).contains("{\"rows\": 7}");
        assertThat(command.run("finding", "ack", name, "--reason", "seen").exit())
                .isZero();
        assertThat(command.run("finding", "show", name, "--json").out()).contains("\"status\":\"ACKNOWLEDGED\"");
        assertThat(command.run("finding", "mute", name, "--for", "1h", "--reason", "known")
                        .exit())
                .isZero();
        assertThat(command.run("finding", "resolve", name, "--reason", "done").exit())
                .isZero();
        assertThat(command.run("finding", "list").err()).contains("there is no finding");
        assertThat(command.run("finding", "list", "--resolved").out()).contains("it lags");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT act || ' ' || target FROM oneroof.operator_act ORDER BY act_id"))
                .containsExactly(
                        "finding_acknowledge finding cursor_lag biller/parcels/0",
                        "finding_mute finding cursor_lag biller/parcels/0",
                        "finding_close finding cursor_lag biller/parcels/0");
    }

    @Test
    void refusesWhatCannotBeDone(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("finding", "show", "99").exit()).isEqualTo(4);
        assertThat(command.run("finding", "show", "x").exit()).isEqualTo(2);
        assertThat(command.run("finding", "mute", "99", "--for", "soon", "--reason", "x")
                        .exit())
                .isEqualTo(2);
        long id = database.value(
                Long.class, "SELECT oneroof.fn_finding_raise('cursor_lag', 'a/b/0', 'it lags', '{}', NULL, 1)");
        Oneroof.Answer never = command.run("finding", "mute", String.valueOf(id), "--for", "4000d", "--reason", "x");
        assertThat(never.exit()).isEqualTo(2);
        assertThat(never.err()).contains("for").contains("up to a year");
        command.run("finding", "resolve", String.valueOf(id), "--reason", "x");
        assertThat(command.run("finding", "ack", String.valueOf(id), "--reason", "x")
                        .exit())
                .isEqualTo(5);
    }
}
