package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A command by which an operator changes something leaves one row in {@code operator_act}. */
@OneRoofTest
class EveryCommandLeavesAnActTest {
    /** A line for each verb, in an order in which each finds what it needs; what is in angle brackets is looked up. */
    private static final List<String> ACTS = List.of(
            "gate open queue.replay.enabled --reason why",
            "gate close queue.notify.bridge_enabled --reason why",
            "source add more --table parcel --id id",
            "source alter more --batch-size 500 --reason why",
            "source remove more --reason why --yes",
            "worker add copier --source parcels --sql <file> --reason why",
            "worker alter copier/parcels --sql <file> --reason why",
            "worker remove copier/parcels --reason why",
            "finding ack <finding> --reason why",
            "finding mute <finding> --for 1h --reason why",
            "finding resolve <finding> --reason why",
            "worker pause sorter/parcels --reason why",
            "worker resume sorter/parcels --reason why",
            "cursor accept sorter/parcels --reason why",
            "cursor replay sorter/parcels --to-id 5 --reason why --yes",
            "cursor skip sorter/parcels --holder <holder> --reason why --yes",
            "instance drain lives --reason why",
            "instance forget gone --reason why",
            "dlq triage <letter> --as manual_replay --note why",
            "dlq replay <letter> --authorization why",
            "dlq close <letter> --note why",
            "dlq replay 1 --reason why",
            "executor grant <login> --kind mark_file --reason why",
            "executor revoke <login> --kind mark_file --reason why",
            "job pause mark_file --reason why",
            "job resume mark_file --reason why",
            "job enqueue mark_file --in 1h",
            "job retry <job> --reason why",
            "job cancel <job> --reason why",
            "schedule add tick --kind mark_file --every 1h",
            "schedule pause tick --reason why",
            "schedule resume tick --reason why",
            "schedule remove tick --reason why");

    private static final Map<String, String> LOOKED_UP = Map.of(
            "<letter>",
            "SELECT min(dead_letter_id::text) FROM oneroof.job_dead_letter WHERE resolved_at IS NULL",
            "<job>",
            "SELECT min(job_id::text) FROM oneroof.job_queue WHERE priority = 0 AND idempotency_key IS NULL",
            "<login>",
            "SELECT session_user::text",
            "<finding>",
            "SELECT min(issue_id)::text FROM oneroof.system_issues",
            "<holder>",
            "SELECT virtualtransaction FROM pg_locks WHERE relation = 'parcel'::regclass");

    /** They look, or run what others decided; a migration is in schema_history. */
    private static final Set<String> NO_ACTS = Set.of(
            "completion",
            "cursor list",
            "cursor show",
            "db migrate",
            "db status",
            "demo",
            "dlq groups",
            "dlq list",
            "dlq show",
            "doctor",
            "executor list",
            "finding list",
            "finding show",
            "gate list",
            "help",
            "init",
            "instance list",
            "job kinds",
            "job list",
            "job show",
            "schedule list",
            "schedule show",
            "source check",
            "source list",
            "source show",
            "status",
            "up",
            "version",
            "worker list",
            "worker run",
            "worker show");

    @TempDir
    Path folder;

    @Test
    void inTheNameOfTheLogin(TestDatabase database) throws IOException {
        prepare(database);
        Path sql = Files.writeString(folder.resolve("copy.sql"), "INSERT INTO public.copy SELECT order_id FROM page");
        Oneroof command = new Oneroof(folder).on(database);
        SoftAssertions all = new SoftAssertions();
        try (Sql holder = database.sql()) {
            holder.run("BEGIN");
            holder.run("INSERT INTO parcel DEFAULT VALUES");
            for (String line : ACTS) {
                long before = database.value(Long.class, "SELECT coalesce(max(act_id), 0) FROM oneroof.operator_act");
                Oneroof.Answer answer = command.run(filledIn(database, line)
                        .replace("<file>", sql.toString())
                        .split(" "));

                all.assertThat(answer.exit()).as(line + ": " + answer.err()).isZero();
                all.assertThat(database.list(
                                row -> row.getString(1),
                                "SELECT concat_ws(' ', actor, reason, db_user) FROM oneroof.operator_act WHERE act_id > ?",
                                before))
                        .as(line)
                        .containsExactly("%s %s %s"
                                .formatted(
                                        System.getProperty("user.name"),
                                        line.contains("why") ? "why" : line.contains("source") ? "registered" : "added",
                                        database.address().user()));
            }
            holder.run("ROLLBACK");
        }
        all.assertAll();
    }

    /** A new verb has to be sorted into one of the two. */
    @Test
    void ofAllVerbsThereAre() {
        Set<String> known = ACTS.stream()
                .map(line -> line.replaceFirst("^(\\S+ \\S+).*", "$1"))
                .collect(Collectors.toCollection(TreeSet::new));
        known.addAll(NO_ACTS);
        CommandContext none =
                new CommandContext(Map.of(), new Console(new ByteArrayOutputStream(), new ByteArrayOutputStream()));

        Set<String> found =
                verbs("", new CommandLine(new RootCommand(none))).collect(Collectors.toCollection(TreeSet::new));

        assertThat(found).isNotEmpty().isSubsetOf(known);
    }

    private static Stream<String> verbs(String prefix, CommandLine line) {
        return line.getSubcommands().isEmpty()
                ? Stream.of(prefix.strip())
                : line.getSubcommands().entrySet().stream()
                        .flatMap(verb -> verbs(prefix + " " + verb.getKey(), verb.getValue()));
    }

    private static String filledIn(TestDatabase database, String line) {
        String filled = line;
        for (Map.Entry<String, String> each : LOOKED_UP.entrySet()) {
            if (filled.contains(each.getKey())) {
                filled = filled.replace(each.getKey(), database.value(String.class, each.getValue()));
            }
        }
        return filled;
    }

    private static void prepare(TestDatabase database) {
        for (String statement : List.of(
                "CREATE TABLE parcel (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)",
                "INSERT INTO parcel SELECT FROM generate_series(1, 8)",
                "CREATE TABLE copy (id bigint)",
                "GRANT SELECT, INSERT ON copy TO oneroof_server",
                "SELECT oneroof.fn_finding_raise('cursor_lag', 'sorter/parcels/0', 'it lags')",
                "GRANT SELECT ON parcel TO oneroof_server",
                "INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type,"
                        + " order_contract, registered_by) VALUES ('parcels', 'public', 'parcel', 'id', 'bigint', 'sequence', 'x')",
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, last_watermark_id, settled_id,"
                        + " highest_settled_id, kept_id, events_seen, hold_state, hold_reason)"
                        + " VALUES ('sorter', 'parcels', '8', '8', '8', '8', 8, 'held', 'a look')",
                "INSERT INTO oneroof.event_pending (purpose, worker_name, source_name, key_id, error_count, last_error,"
                        + " last_sqlstate, dead_lettered_at) VALUES ('retry', 'sorter', 'parcels', '3', 5, 'x', '22012', now())",
                "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                        + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch)"
                        + " SELECT 'instance/' || n, 'PG_worker', 5, 30, n, n, now() + away * interval '1 hour',"
                        + " nextval('oneroof.lease_epoch_seq') FROM (VALUES ('lives', 1), ('gone', -1)) i (n, away)",
                "UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'",
                "SELECT oneroof.fn_job_kind_register('mark_file')",
                "SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 2)",
                "SELECT oneroof.fn_job_fail(job_id, lease_token, 'IOException', 'gone', p_final => true)"
                        + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me')")) {
            database.run(statement);
        }
    }
}
