package dev.oneroof.app.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@OneRoofTest
class SourceCommandTest {
    @TempDir
    Path folder;

    @BeforeEach
    void aRegistry(TestDatabase database) {
        database.run("CREATE TABLE public.\"Parcel\" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " arrived timestamptz NOT NULL DEFAULT now())");
        database.run("CREATE INDEX ON public.\"Parcel\" (arrived, id)");
        database.run("GRANT SELECT ON public.\"Parcel\" TO oneroof_server");
        database.run("GRANT SELECT ON SEQUENCE public.\"Parcel_id_seq\" TO oneroof_server");
    }

    @Test
    void addsShowsChecksAndRemoves(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer dry =
                command.run("source", "add", "parcels", "--table", "\"Parcel\"", "--id", "ID", "--dry-run", "--json");
        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.err()).contains("contract: 'sequence', derived from the table", "is seen by an audit only");
        assertThat(json(dry).get("registered").asBoolean()).isFalse();
        assertThat(command.run("source", "list", "--json").out()).doesNotContain("parcels");

        Oneroof.Answer added = command.run(
                "source",
                "add",
                "parcels",
                "--table",
                "public.\"Parcel\"",
                "--id",
                "id",
                "--ts",
                "arrived",
                "--mode",
                "strict",
                "--filter",
                "id > 3",
                "--batch-size",
                "77",
                "--poll",
                "250ms",
                "--lag-threshold",
                "2m",
                "--reread",
                "1h");
        assertThat(added.exit()).as(added.err()).isZero();
        assertThat(added.out())
                .contains(
                        "table          public.Parcel", "time           arrived (timestamptz)", "contract       clock");
        assertThat(added.err()).contains("oneroof: registered").doesNotContain("warning");

        JsonNode shown = json(command.run("source", "show", "parcels", "--json"));
        assertThat(shown.get("source").get("mode").asString()).isEqualTo("strict");
        assertThat(shown.get("source").get("poll_seconds").asDouble()).isEqualTo(0.25);
        assertThat(shown.get("source").get("lag_threshold_seconds").asDouble()).isEqualTo(120);
        assertThat(shown.get("source").get("reread_seconds").asDouble()).isEqualTo(3600);
        assertThat(shown.get("workers")).isEmpty();
        assertThat(command.run("source", "list").out())
                .containsPattern("parcels +public.Parcel +arrived, id +clock +strict");

        assertRefused(
                command.run(
                        "source",
                        "add",
                        "parcels",
                        "--table",
                        "\"Parcel\"",
                        "--id",
                        "id",
                        "--ts",
                        "arrived",
                        "--reread",
                        "1h",
                        "--lag-threshold",
                        "2m"),
                5,
                "source: 'parcels' is registered with another definition: mode is 'strict' and not 'prompt',"
                        + " filter is 'id > 3' and not none, batch_size is 77 and not 5000,"
                        + " poll_interval is 250ms and not 1s");

        assertThat(command.run("source", "check").exit()).isZero();
        database.run("REVOKE SELECT ON public.\"Parcel\" FROM oneroof_server");
        Oneroof.Answer checked = command.run("source", "check", "parcels", "--json");
        assertThat(checked.exit()).isEqualTo(3);
        assertThat(json(checked).get("holds").asBoolean()).isFalse();
        assertThat(json(checked).get("sources").get(0).get("broken").get(0).asString())
                .contains("may not be read");

        assertRefused(
                command.run("source", "remove", "parcels", "--reason", "test"),
                2,
                "to be removed: source 'parcels'",
                "use --yes");
        assertThat(command.run("source", "remove", "parcels", "--reason", "test", "--dry-run")
                        .out())
                .contains("nothing was removed");
        assertThat(command.run("source", "remove", "parcels", "--reason", "test", "--yes")
                        .out())
                .contains("removed parcels");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.tail_source WHERE source_name = 'parcels'"))
                .isZero();
        assertThat(database.value(String.class, "SELECT reason FROM oneroof.operator_act WHERE act = 'source_remove'"))
                .isEqualTo("test");
    }

    @Test
    void keepsASourceThatIsRead(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        command.run("source", "add", "parcels", "--table", "\"Parcel\"", "--id", "id");
        database.run("INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch)"
                + " VALUES ('w/parcels/0', 'PG_worker', 1, 1, 't', 'host-7', now() + interval '1 hour',"
                + " nextval('oneroof.lease_epoch_seq'))");

        assertThat(command.run("source", "show", "parcels").out()).contains("w/0, 0 rows, running on host-7");
        assertRefused(
                command.run("source", "remove", "parcels", "--reason", "x", "--yes"), 5, "of instance host-7", "stop");
    }

    @Test
    void refusesWhatItCannotTake(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        assertRefused(command.run("source"), 2, "missing verb; use add, list, show, check, alter or remove");
        assertRefused(command.run("source", "show", "nothing"), 4, "source: 'nothing' is not registered");
        assertRefused(command.run("source", "check", "nothing"), 4, "source: 'nothing' is not registered");
        assertRefused(command.run("source", "remove", "nothing", "--reason", "x", "--yes"), 4, "is not registered");
        assertRefused(command.run("source", "remove", "nothing"), 2, "--reason");
        assertRefused(add(command, "--contract", "trust"), 2, "--contract", "trust");
        assertRefused(
                add(command, "--poll", "soon"),
                2,
                "'soon' is not a duration; allowed is a whole number followed by ms");
        assertRefused(add(command, "--batch-size", "0"), 2, "from 1 to 50000");
        assertRefused(add(command, "--reread", "99d"), 2, "--reread: '99d' is not allowed", "up to 30 days");
        assertRefused(add(command, "--filter", "colour = 1"), 2, "--filter: 'colour = 1'", "does not exist");
        assertRefused(add(command, "--ts", "nothing"), 4, "--ts: there is no column 'nothing'");
        assertRefused(add(command, "--zone", "UTC"), 2, "--zone: 'UTC' is not allowed");
        assertRefused(add(command, "--contract", "clock"), 2, "--contract: 'clock' needs a time column");
        assertRefused(
                command.run("source", "add", "p", "--table", "\"Parcel\"", "--id", "nothing"),
                4,
                "--id: there is no column 'nothing'");
        assertRefused(
                command.run("source", "add", "p", "--table", "nothing", "--id", "id"),
                4,
                "--table: nothing is not found");
    }

    @Test
    void saysThatTheSchemaIsNotThere(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database).with("ONEROOF_DB_SCHEMA", "elsewhere");

        assertRefused(command.run("source", "list"), 4, "schema: 'elsewhere'", "is missing", "oneroof db migrate");
    }

    private static Oneroof.Answer add(Oneroof command, String option, String value) {
        return command.run("source", "add", "p", "--table", "\"Parcel\"", "--id", "id", option, value);
    }

    private static JsonNode json(Oneroof.Answer answer) {
        assertThat(answer.out().lines()).as(answer.err()).hasSize(1);
        return new JsonMapper().readTree(answer.out());
    }

    private static void assertRefused(Oneroof.Answer answer, int exit, String... parts) {
        assertThat(answer.err()).as("stderr").contains(parts).doesNotContain("\tat ", "Exception");
        assertThat(answer.exit()).as("exit code").isEqualTo(exit);
        assertThat(answer.out()).as("stdout").isEmpty();
    }
}
