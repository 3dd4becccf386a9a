package dev.oneroof.app.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Random keys, and times that applications set: no command says that all is handled where that is not known. */
@OneRoofTest
class UnorderedKeyCommandTest {
    private static final String WINDOW =
            "rows may arrive behind the re-read window of 600 s; an audit or a replay finds them";
    private static final String UNORDERED = "new rows may get an id below those already read, and are lost then";

    @TempDir
    Path folder;

    @BeforeEach
    void customers(TestDatabase database) {
        database.run("CREATE SCHEMA sales");
        database.run("CREATE TABLE sales.customers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),"
                + " signed_at timestamptz NOT NULL DEFAULT '2026-01-01 00:00:00Z')");
        database.run("CREATE INDEX ON sales.customers (signed_at, id)");
        database.run("INSERT INTO sales.customers SELECT FROM generate_series(1, 50)");
        database.run("GRANT USAGE ON SCHEMA sales TO oneroof_server");
        database.run("GRANT SELECT ON sales.customers TO oneroof_server");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " --contract external", " --contract sequence", " --dry-run"})
    void refusesARandomKeyWithoutATime(String options, TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .on(database)
                .run(("source add c --table sales.customers --id id" + options).split(" "));

        assertThat(answer.exit()).as(answer.err()).isEqualTo(2);
        assertThat(answer.err())
                .contains(
                        "--id: 'id' (uuid) is not made in order",
                        "allowed without a time column is a smallint, integer or bigint id",
                        "Name a time column")
                .doesNotContain("registered");
        assertThat(answer.out()).isEmpty();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.tail_source WHERE source_name = 'c'"))
                .isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.gov_worker_cursor"))
                .isZero();
    }

    @Test
    void saysWhatIsNotKnownWhereApplicationsSetTheTime(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        Oneroof.Answer added = command.run("source add c --table sales.customers --id id --ts signed_at".split(" "));
        assertThat(added.exit()).as(added.err()).isZero();
        assertThat(added.err()).contains("behind the re-read window of 10m are lost to every worker until an audit");
        cursorAtTheEnd(database);

        assertThat(command.run("cursor", "show", "w/c").out())
                .containsPattern("behind +0 rows known")
                .containsPattern("not known +" + WINDOW);
        JsonNode shown = json(command.run("cursor", "show", "w/c", "--json"));
        assertThat(shown.get("rows_behind").asLong()).isZero();
        assertThat(shown.get("not_known").asString()).isEqualTo(WINDOW);
        assertThat(command.run("cursor", "list").out()).contains("NOT KNOWN", WINDOW);
        assertThat(json(command.run("cursor", "list", "--json"))
                        .at("/cursors/0/not_known")
                        .asString())
                .isEqualTo(WINDOW);

        assertThat(command.run("worker", "list").out()).contains("nothing to do; " + WINDOW);
        assertThat(command.run("worker", "show", "w/c").out())
                .contains("state         quiet: nothing to do; " + WINDOW);
        assertThat(json(command.run("worker", "show", "w/c", "--json"))
                        .at("/executor/not_known")
                        .asString())
                .isEqualTo(WINDOW);
        assertThat(json(command.run("worker", "list", "--json"))
                        .at("/workers/0/not_known")
                        .asString())
                .isEqualTo(WINDOW);

        Oneroof.Answer status = command.run("status");
        assertThat(status.exit()).as(status.err()).isZero();
        assertThat(status.out())
                .startsWith("no fault is known: 1 executor; 1 source may have rows that no worker has seen (c)\n")
                .contains("nothing to do; " + WINDOW)
                .doesNotContain("all is well");
        JsonNode told = json(command.run("status", "--json"));
        assertThat(told.at("/not_known/0/source").asString()).isEqualTo("c");
        assertThat(told.at("/not_known/0/what").asString()).isEqualTo(WINDOW);

        Oneroof.Answer doctor = command.run("doctor");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out()).contains("WARN  sources            c: applications may set 'signed_at'");
    }

    /** Registered before the refusal, or by hand: 50 rows are read, and 1,000 come that nobody would see. */
    @Test
    void tellsOfARandomKeyThatIsRegisteredAlready(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        database.run("INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type,"
                + " order_contract, registered_by) VALUES ('c', 'sales', 'customers', 'id', 'uuid', 'external', 'x')");
        assertThat(command.run("status").out())
                .as("before any worker has run")
                .contains("; 1 source may have rows that no worker has seen (c)");
        cursorAtTheEnd(database);
        database.run("INSERT INTO sales.customers SELECT FROM generate_series(1, 1000)");

        assertThat(command.run("status").out())
                .startsWith("1 of 1 behind, since ")
                .contains(UNORDERED)
                .doesNotContain("all is well", "quiet");
        assertThat(json(command.run("status", "--json")).get("state").asString())
                .isEqualTo("behind");
        assertThat(command.run("cursor", "show", "w/c").out()).contains(" rows known", UNORDERED);
        assertThat(json(command.run("cursor", "show", "w/c", "--json"))
                        .get("not_known")
                        .asString())
                .contains(UNORDERED);
        Oneroof.Answer doctor = command.run("doctor");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out())
                .contains("FAIL  sources            c: id_column: 'id' (uuid) is not made in order")
                .contains("WARN  workers            w/c/0 is behind: " + UNORDERED);
        assertThat(command.run("source", "check", "c").exit()).isEqualTo(3);
    }

    @Test
    void saysAfterARunThatOnlyWhatIsKnownIsHandled(TestDatabase database, Given given) {
        given.births(7);
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        Oneroof command = new Oneroof(folder).on(database);
        Oneroof.Answer added = command.run(
                "source add births --table public.birth_registry --ts born_at --id id --contract external".split(" "));
        assertThat(added.err()).contains("seen are new rows that arrive within the re-read window, and");
        command.run("gate", "open", "governance.gov_backfill_sweep.enabled", "--reason", "a run");

        Oneroof.Answer ran = command.run("worker", "run", "gov_backfill_sweep/births", "--once", "--json");

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(json(ran).get("ended").asString()).isEqualTo("no known work is left; " + WINDOW);
        assertThat(json(ran).get("not_known").asString()).isEqualTo(WINDOW);
    }

    private static void cursorAtTheEnd(TestDatabase database) {
        database.run(
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, last_watermark_ts,"
                        + " last_watermark_id, settled_ts, settled_id, events_seen)"
                        + " SELECT 'w', 'c', CASE WHEN s.ts_column IS NOT NULL THEN c.signed_at::text END, c.id::text,"
                        + " CASE WHEN s.ts_column IS NOT NULL THEN c.signed_at::text END, c.id::text, 50"
                        + " FROM oneroof.tail_source s, sales.customers c WHERE s.source_name = 'c' ORDER BY c.id DESC LIMIT 1");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('w/c/0', 'PG_worker')");
    }

    private static JsonNode json(Oneroof.Answer answer) {
        assertThat(answer.out().lines()).as(answer.err()).hasSize(1);
        return new JsonMapper().readTree(answer.out());
    }
}
