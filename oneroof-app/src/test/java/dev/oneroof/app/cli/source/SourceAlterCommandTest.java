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
class SourceAlterCommandTest {
    @TempDir
    Path folder;

    @BeforeEach
    void aSourceWithACursor(TestDatabase database) {
        database.run("CREATE TABLE public.parcel (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " arrived timestamptz NOT NULL DEFAULT now(), kind text)");
        database.run("CREATE INDEX ON public.parcel (arrived, id)");
        database.run("INSERT INTO public.parcel (arrived, kind) SELECT timestamptz '2026-01-01 00:00:00+00'"
                + " + n * interval '1 hour', CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 6) n");
        database.run("GRANT SELECT ON public.parcel TO oneroof_server");
        Oneroof.Answer added = new Oneroof(folder)
                .on(database)
                .run(
                        "source",
                        "add",
                        "parcels",
                        "--table",
                        "parcel",
                        "--id",
                        "id",
                        "--ts",
                        "arrived",
                        "--filter",
                        "kind = 'a'");
        assertThat(added.exit()).as(added.err()).isZero();
        database.run("INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, settled_ts, settled_id,"
                + " last_watermark_ts, last_watermark_id, highest_settled_ts, highest_settled_id, kept_ts, kept_id, events_seen)"
                + " SELECT 'w', 'parcels', arrived::text, id::text, arrived::text, id::text, arrived::text, id::text,"
                + " arrived::text, id::text, 2"
                + " FROM public.parcel WHERE id = 4");
    }

    @Test
    void showsWhatTheChangeMeansAndAsksWhereACursorIsSetBack(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer dry = command.run(
                "source", "alter", "parcels", "--no-filter", "--reason", "all of them", "--dry-run", "--json");
        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.err())
                .contains(
                        "to be changed: filter from 'kind = 'a'' to none",
                        "w/parcels/0 processes everything again from the beginning, 4 rows",
                        "nothing was changed (--dry-run)");
        JsonNode shown = JsonMapper.builder().build().readTree(dry.out());
        assertThat(shown.get("altered").asBoolean()).isFalse();
        assertThat(shown.get("cursors").get(0).get("effect").asString()).isEqualTo("repeats");
        assertThat(shown.get("cursors").get(0).get("rows").asLong()).isEqualTo(4);

        Oneroof.Answer unasked = command.run("source", "alter", "parcels", "--no-filter", "--reason", "all of them");
        assertThat(unasked.exit()).isEqualTo(2);
        assertThat(unasked.err()).contains("use --yes");
        assertThat(filter(database)).isEqualTo("kind = 'a'");

        assertThat(command.run("gate", "open", "queue.replay.enabled", "--reason", "all of them")
                        .exit())
                .isZero();
        Oneroof.Answer done =
                command.run("source", "alter", "parcels", "--no-filter", "--reason", "all of them", "--yes");
        assertThat(done.exit()).as(done.err()).isZero();
        assertThat(filter(database)).isEqualTo("none");
        assertThat(database.value(Boolean.class, "SELECT settled_ts IS NULL FROM oneroof.gov_worker_cursor"))
                .isTrue();
        assertThat(database.value(String.class, "SELECT reason FROM oneroof.operator_act WHERE act = 'source_alter'"))
                .isEqualTo("all of them");
    }

    @Test
    void takesTheAdviceOfTheFinding(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer done = command.run(
                "source",
                "alter",
                "parcels",
                "--contract",
                "external",
                "--reread",
                "1h",
                "--reason",
                "app sets it",
                "--yes");

        assertThat(done.exit()).as(done.err()).isZero();
        assertThat(done.err())
                .contains("w/parcels/0 reads again from", "no row is handed out twice", "altered parcels");
        JsonNode shown = JsonMapper.builder()
                .build()
                .readTree(command.run("source", "show", "parcels", "--json").out());
        assertThat(shown.get("source").get("contract").asString()).isEqualTo("external");
        assertThat(shown.get("source").get("reread_seconds").asDouble()).isEqualTo(3600);

        Oneroof.Answer back =
                command.run("source", "alter", "parcels", "--contract", "clock", "--reason", "mended", "--yes");
        assertThat(back.exit()).isEqualTo(5);
        assertThat(back.err()).contains("processes everything again from the beginning", "queue.replay.enabled");
        Oneroof.Answer part = command.run(
                "source",
                "alter",
                "parcels",
                "--contract",
                "clock",
                "--to-time",
                "2026-01-01T02:30:00Z",
                "--reason",
                "mended",
                "--dry-run");
        assertThat(part.exit()).as(part.err()).isZero();
        assertThat(part.err()).contains("from 2026-01-01T02:30:00Z");
    }

    @Test
    void refusesWhatItCannotTake(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        assertRefused(command.run("source", "alter", "parcels", "--reason", "x"), 2, "missing one of: --contract");
        assertRefused(command.run("source", "alter", "parcels", "--mode", "strict"), 2, "--reason");
        assertRefused(command.run("source", "alter", "none", "--mode", "strict", "--reason", "x"), 4, "not registered");
        assertRefused(
                command.run("source", "alter", "parcels", "--filter", "arrived < now()", "--reason", "x", "--yes"),
                2,
                "--filter: 'arrived < now()' is not allowed");
        assertRefused(
                command.run("source", "alter", "parcels", "--contract", "sequence", "--reason", "x", "--yes"),
                2,
                "--contract: 'clock' cannot become 'sequence'");
        assertRefused(
                command.run("source", "alter", "parcels", "--filter", "true", "--no-filter", "--reason", "x"),
                2,
                "--no-filter");
        assertRefused(
                command.run(
                        "source",
                        "alter",
                        "parcels",
                        "--no-filter",
                        "--to-time",
                        "yesterday",
                        "--reason",
                        "x",
                        "--yes"),
                2,
                "--to-time: 'yesterday' is not allowed");
        Oneroof.Answer same = command.run("source", "alter", "parcels", "--mode", "prompt", "--reason", "x");
        assertThat(same.exit()).isZero();
        assertThat(same.err()).contains("parcels is unchanged");
    }

    private static String filter(TestDatabase database) {
        return database.value(
                String.class, "SELECT coalesce(filter, 'none') FROM oneroof.tail_source WHERE source_name = 'parcels'");
    }

    private static void assertRefused(Oneroof.Answer answer, int exit, String told) {
        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(told);
    }
}
