package dev.oneroof.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OneRoofTest
class OutboxTest {
    private static final EventType SILENT = new EventType("system", "queue_worker_silent");
    private static final Event EVENT = event("e1");

    private final Outbox outbox = new Outbox();

    @OnEveryServer
    void emitsAnEventAsItsTypeHasIt(TestDatabase database) {
        EventId id = db(database).inTx(tx -> outbox.emit(tx, EVENT));

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws('|', event_domain, event_type, event_stream, delivery_lane, event_severity,"
                                + " event_subject_table, event_subject_ref, coalesce(canonical_address, '-'), actor_ref,"
                                + " source_system, payload_classification, safe_payload, occurred_at = created_at)"
                                + " FROM oneroof.event_outbox WHERE id = ?",
                        id.value()))
                .containsExactly("system|queue_worker_silent|alert|immediate|warning|queue_heartbeat|e1|-|stale_check|"
                        + "oneroof|safe_metadata|{}|t");
    }

    @OnEveryServer
    void emitsAnEventAsItWasSaid(TestDatabase database) {
        Event said = EVENT.with(Payload.of(Map.of("name", "a \"b\" \\ \n ü", "gap_ratio", 3.5, "open", true)))
                .in("other", Lane.NORMAL)
                .as(Severity.CRITICAL)
                .occurredAt(Instant.parse("2020-02-29T12:00:00.123456Z"));

        db(database).useTx(tx -> outbox.emit(tx, said));

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws('|', event_stream, delivery_lane, event_severity, safe_payload ->> 'name',"
                                + " safe_payload ->> 'gap_ratio', safe_payload -> 'open',"
                                + " occurred_at = '2020-02-29 12:00:00.123456Z', created_at > '2026-01-01')"
                                + " FROM oneroof.event_outbox"))
                .containsExactly("other|normal|critical|a \"b\" \\ \n ü|3.5|true|t|t");
    }

    @OnEveryServer
    void emitsManyInOneStatementAndInOrder(TestDatabase database) {
        List<Event> many =
                IntStream.range(0, 3000).mapToObj(n -> event("e" + n)).toList();

        List<EventId> ids = db(database).inTx(tx -> outbox.emitAll(tx, many));

        assertThat(ids).hasSize(3000).doesNotHaveDuplicates();
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT event_subject_ref FROM oneroof.event_outbox ORDER BY created_at, id"))
                .isEqualTo(many.stream().map(event -> event.subject().ref()).toList());
        assertThat(database.value(
                        String.class,
                        "SELECT event_subject_ref FROM oneroof.event_outbox WHERE id = ?",
                        ids.get(1234).value()))
                .isEqualTo("e1234");
    }

    @Test
    void emitsNothingOfAnEmptyList(TestDatabase database) {
        assertThat(db(database).<List<EventId>>inTx(tx -> outbox.emitAll(tx, List.of())))
                .isEmpty();
    }

    @OnEveryServer
    void isThereJustWhenTheCallersTransactionIs(TestDatabase database) {
        database.run("CREATE TABLE public.truth (id integer)");

        db(database).useTx(tx -> {
            tx.update("INSERT INTO public.truth VALUES (1)").execute();
            outbox.emit(tx, event("kept"));
        });
        db(database).useTx(tx -> {
            tx.update("INSERT INTO public.truth VALUES (2)").execute();
            outbox.emit(tx, event("rolled back"));
            tx.abandon();
        });

        assertThat(refs(database)).containsExactly("kept");
        assertThat(database.value(Integer.class, "SELECT sum(id)::int FROM public.truth"))
                .isEqualTo(1);
    }

    @OnEveryServer
    void isNotSeenBeforeTheCommit(TestDatabase database) {
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'r', 'a', 's')");
            assertThat(refs(database)).isEmpty();
            open.run("COMMIT");
        }
        assertThat(refs(database)).containsExactly("r");
    }

    @OnEveryServer
    void refusesATypeThatNobodyRegistered(TestDatabase database) {
        Event unknown = Event.of(new EventType("system", "no_such"), EVENT.subject(), EVENT.origin());

        assertThatThrownBy(() -> db(database).useTx(tx -> outbox.emitAll(tx, List.of(EVENT, unknown))))
                .isInstanceOfSatisfying(OneRoofException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
                    assertThat(e.message()).isEqualTo("event 2: type 'system/no_such' is not registered");
                })
                .hasStackTraceContaining("fn_event_type_register");
        assertThat(refs(database)).isEmpty();
    }

    @Test
    void refusesATypeThatIsNotActive(TestDatabase database) {
        Event inactive = Event.of(
                new EventType("governance", "governance.handoff.object_born"), EVENT.subject(), EVENT.origin());

        assertThatThrownBy(() -> db(database).useTx(tx -> outbox.emit(tx, inactive)))
                .hasMessage("event 1: type 'governance/governance.handoff.object_born' is not active");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"body\": \"the-contents\"}",
                "{\"a\": [1, {\"b\": {\"password\": \"the-contents\"}}]}",
                "[\"the-contents\"]",
                "\"the-contents\""
            })
    void refusesContentsAtAnyDepthAndDoesNotRepeatThem(String json, TestDatabase database) {
        assertThatThrownBy(() -> db(database).useTx(tx -> outbox.emit(tx, EVENT.with(new Payload(json)))))
                .isInstanceOfSatisfying(OneRoofException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT);
                    assertThat(e.message()).contains("event 1", "queue_worker_silent", "no signal");
                });
        // What the server itself said, whatever the driver would show of it.
        try (Sql sql = database.sql()) {
            assertThatThrownBy(() -> sql.run(
                            "SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'r', 'a', 's', ?::jsonb)",
                            json))
                    .hasMessageContaining("OR002")
                    .hasMessageMatching(
                            "(?s).*no signal: (its key '(body|a\\[1]\\.b\\.password)' is one of |it is no object).*")
                    .message()
                    .doesNotContain("the-contents");
        }
        assertThat(refs(database)).isEmpty();
    }

    @OnEveryServer
    void refusesAPayloadThatIsTooLarge(TestDatabase database) {
        Payload large = Payload.of(Map.of("a", "x".repeat(8192)));

        assertThatThrownBy(() -> db(database).useTx(tx -> outbox.emit(tx, EVENT.with(large))))
                .hasMessageContaining("no signal: it has 8201 bytes");
    }

    @Test
    void keepsTheChecksForWhoeverGoesAroundTheFunction(TestDatabase database) {
        String insert = "INSERT INTO oneroof.event_outbox (event_domain, event_type, event_stream, delivery_lane,"
                + " event_severity, event_subject_table, event_subject_ref, actor_ref, source_system, %s)"
                + " VALUES ('system', 'x', 'alert', 'normal', 'info', 't', 'r', 'a', 's', %s)";

        assertThatThrownBy(() -> database.run(insert.formatted("safe_payload", "'{\"a\": {\"token\": 1}}'")))
                .hasMessageContaining("event_outbox_payload_is_a_signal");
        assertThatThrownBy(() -> database.run(insert.formatted("payload_classification", "'contents'")))
                .hasMessageContaining("event_outbox_is_safe_metadata");
    }

    @Test
    void refusesWhatIsNoFieldOfAnEvent(TestDatabase database) {
        assertThatThrownBy(() -> database.run(
                        "SELECT oneroof.fn_iu_emit_events('[{\"event_domain\": \"system\", \"event_strem\": \"x\"}]')"))
                .hasMessageContaining("event 1: 'event_strem' is no field of an event");
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_iu_emit_events('{}')"))
                .hasMessageContaining("allowed is an array of objects");
    }

    @Test
    void refusesASeverityThatIsNotKnown(TestDatabase database) {
        assertThatThrownBy(() -> database.run(
                        "SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'r', 'a', 's',"
                                + " p_event_severity => 'dreadful')"))
                .hasMessageContaining("event_outbox_severity_is_known");
    }

    @Test
    void takesNoFigureThatJsonCannotSay() {
        assertThatThrownBy(() -> Payload.of(Map.of("gap", Double.NaN))).hasMessageContaining("gap: 'NaN'");
        assertThatThrownBy(() -> Payload.of(Map.of("deep", Map.of()))).hasMessageContaining("deep: '{}'");
    }

    @OnEveryServer
    void worksInASchemaOfAnotherName(TestDatabase database) throws Exception {
        var config = new dev.oneroof.postgres.schema.SchemaConfig(
                new SchemaName("fresh"), new dev.oneroof.postgres.schema.RoleNames(database.name() + "_"));
        new dev.oneroof.postgres.schema.Migrator(database.dataSource(), config).migrate();
        Database fresh = new Database(database.dataSource(), config.schema());

        fresh.useTx(tx -> outbox.emit(tx, EVENT));

        assertThat(fresh.<Boolean>inTx(tx -> new EventTypeStore().isActive(tx, SILENT)))
                .isTrue();
        assertThat(database.value(Long.class, "SELECT count(*) FROM fresh.event_outbox"))
                .isEqualTo(1);
        assertThat(database.value(
                        String.class,
                        "SELECT relation_schema FROM fresh.tail_source WHERE source_name = 'event_outbox'"))
                .isEqualTo("fresh");
        assertThat(refs(database)).isEmpty();
    }

    private static Event event(String ref) {
        return Event.of(SILENT, Subject.of("queue_heartbeat", ref), new Origin("stale_check", "oneroof"));
    }

    private static List<String> refs(TestDatabase database) {
        return database.list(row -> row.getString(1), "SELECT event_subject_ref FROM oneroof.event_outbox");
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
