package dev.oneroof.app.cli.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class CursorCommandTest {
    @TempDir
    Path folder;

    @BeforeEach
    void aCursorWithADeadLetter(TestDatabase database) {
        database.run("CREATE TABLE public.parcel (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.parcel SELECT FROM generate_series(1, 10)");
        database.run("GRANT SELECT ON public.parcel TO oneroof_server");
        database.run(
                "INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type,"
                        + " order_contract, registered_by) VALUES ('parcels', 'public', 'parcel', 'id', 'integer', 'sequence', 'x')");
        database.run("INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, last_watermark_id, settled_id,"
                + " highest_settled_id, kept_id, events_seen) VALUES ('sorter', 'parcels', '8', '8', '8', '8', 8)");
        database.run("INSERT INTO oneroof.event_pending (purpose, worker_name, source_name, key_id, error_count,"
                + " last_error, last_sqlstate, dead_lettered_at) VALUES"
                + " ('retry', 'sorter', 'parcels', '3', 5, 'division by zero', '22012', now())");
    }

    @Test
    void showsPausesReplaysAndResumes(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        assertThat(command.run("cursor", "list").out()).contains("sorter/parcels/0", "free");
        Oneroof.Answer shown = command.run("cursor", "show", "sorter/parcels", "--json");
        assertThat(shown.exit()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("\"rows_behind\":2", "\"open_dead_letters\":1");

        Oneroof.Answer paused =
                command.run("worker", "pause", "sorter/parcels", "--reason", "holiday", "--for", "2h", "--json");
        assertThat(paused.exit()).as(paused.err()).isZero();
        assertThat(paused.err()).contains("is paused for 2h");
        assertThat(paused.out()).contains("\"expiry\":\"2h\"");
        assertThat(command.run("cursor", "list").out()).contains("paused by", "holiday");
        assertThat(command.run("worker", "resume", "sorter/parcels", "--reason", "back")
                        .exit())
                .isZero();

        Oneroof.Answer dry = command.run(
                "cursor", "replay", "sorter/parcels", "--to-id", "5", "--reason", "again", "--dry-run", "--json");
        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.out()).contains("\"rows\":3", "\"first\":\"6\"", "\"last\":\"8\"", "\"replayed\":false");
        assertThat(command.run("cursor", "replay", "sorter/parcels", "--to-id", "5", "--reason", "again")
                        .exit())
                .as("nobody to ask")
                .isEqualTo(2);
        assertThat(database.value(String.class, "SELECT settled_id FROM oneroof.gov_worker_cursor"))
                .isEqualTo("8");
        Oneroof.Answer closed =
                command.run("cursor", "replay", "sorter/parcels", "--to-id", "5", "--reason", "again", "--yes");
        assertThat(closed.exit()).isEqualTo(5);
        assertThat(closed.err()).contains("oneroof gate open queue.replay.enabled --reason TEXT");
        allowReplays(command);
        assertThat(command.run("cursor", "replay", "sorter/parcels", "--to-id", "5", "--reason", "again", "--yes")
                        .exit())
                .isZero();
        assertThat(database.value(String.class, "SELECT settled_id FROM oneroof.gov_worker_cursor"))
                .isEqualTo("5");
    }

    @Test
    void listsShowsAndReplaysDeadLetters(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);

        assertThat(command.run("dlq", "list").out()).contains("sorter/parcels/0", "22012", "division by zero");
        assertThat(command.run("dlq", "show", "1").out()).contains("division by zero");
        assertThat(command.run("dlq", "replay", "1", "--reason", "mended").exit())
                .as("through a closed gate")
                .isEqualTo(5);
        allowReplays(command);
        assertThat(command.run("dlq", "replay", "1", "--reason", "mended").exit())
                .isZero();

        assertThat(command.run("dlq", "list", "--json").out()).contains("\"dead_letters\":[]");
        assertThat(command.run("dlq", "show", "1").exit()).isEqualTo(4);
        assertThat(command.run("dlq", "replay", "1", "--reason", "again").exit())
                .isEqualTo(4);
        assertThat(database.value(String.class, "SELECT reason FROM oneroof.operator_act WHERE act = 'dlq_replay'"))
                .isEqualTo("mended");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    cursor                                                  | 2 | missing verb
                    cursor show nobody/parcels                              | 4 | there is no cursor 'nobody/parcels/0'
                    cursor show parcels                                     | 2 | WORKER/SOURCE
                    worker pause sorter/parcels                             | 2 | --reason
                    worker pause sorter/parcels --reason x --for soon       | 2 | --for
                    worker pause sorter/parcels --reason x --for 0s         | 2 | --for: '0s' is not allowed; allowed is
                    cursor skip sorter/parcels --reason x --holder 9/9 --for 500d --yes | 2 | --for: '500d' is not allowed
                    cursor accept sorter/parcels --reason x                 | 5 | nothing to accept
                    cursor replay sorter/parcels --reason x --yes           | 2 | --from-start
                    cursor replay sorter/parcels --reason x --to-id many --yes | 2 | cannot be read
                    cursor replay sorter/parcels --reason x --to-id 9 --yes | 2 | a replay goes back
                    cursor replay reader/event_outbox --reason x --to-time yesterday --yes | 2 | --to-time: 'yesterday' is not allowed; allowed is an ISO-8601 time with zone
                    cursor skip sorter/parcels --reason x --holder 9/9 --yes | 4 | --holder: there is no open transaction
                    dlq                                                     | 2 | missing verb
                    dlq show many                                           | 2 | 'many' is not allowed
                    dlq list --limit 0                                      | 2 | from 1 to 10000
                    dlq replay --reason x                                   | 2 | --source
                    """)
    void refusesWhatItCannotDo(String line, int exit, String why, TestDatabase database) {
        database.run(
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name) VALUES ('reader', 'event_outbox')");
        Oneroof.Answer answer = new Oneroof(folder).on(database).run(line.split(" "));

        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(why);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isZero();
    }

    private static void allowReplays(Oneroof command) {
        assertThat(command.run("gate", "open", "queue.replay.enabled", "--reason", "a repair")
                        .exit())
                .isZero();
    }
}
