package dev.oneroof.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class EventTypeStoreTest {
    private static final EventType SHIPPED = new EventType("shop", "parcel.shipped");
    private static final EventTypeDefinition DEFINITION =
            new EventTypeDefinition(SHIPPED, "lifecycle", Lane.NORMAL, Severity.INFO, "A parcel has left.");

    private final EventTypeStore types = new EventTypeStore();

    @OnEveryServer
    void registersInactiveAndActivatesWithATrail(TestDatabase database) {
        assertThat(did(database, tx -> types.register(tx, DEFINITION, "ann"))).isTrue();
        assertThat(did(database, tx -> types.isActive(tx, SHIPPED))).isFalse();
        assertThat(did(database, tx -> types.activate(tx, SHIPPED, "bob", "the shop is open")))
                .isTrue();
        assertThat(did(database, tx -> types.isActive(tx, SHIPPED))).isTrue();
        assertThat(did(database, tx -> types.deactivate(tx, SHIPPED, "cid", "too loud")))
                .isTrue();

        assertThat(did(database, tx -> types.isActive(tx, SHIPPED))).isFalse();
        assertThat(trail(database))
                .containsExactly(
                        "registered|false|lifecycle/normal/info|ann|",
                        "activated|true|lifecycle/normal/info|bob|the shop is open",
                        "deactivated|false|lifecycle/normal/info|cid|too loud");
    }

    @Test
    void takesTheSameAgainForNoChange(TestDatabase database) {
        did(database, tx -> types.register(tx, DEFINITION, "ann"));
        did(database, tx -> types.activate(tx, SHIPPED, "ann", "yes"));

        assertThat(did(database, tx -> types.register(tx, DEFINITION, "bob"))).isFalse();
        assertThat(did(database, tx -> types.activate(tx, SHIPPED, "bob", "again")))
                .isFalse();

        assertThat(trail(database)).hasSize(2);
    }

    @Test
    void givesATypeOtherDefaultsAndLeavesItActive(TestDatabase database) {
        did(database, tx -> types.register(tx, DEFINITION, "ann"));
        did(database, tx -> types.activate(tx, SHIPPED, "ann", "yes"));
        EventTypeDefinition louder =
                new EventTypeDefinition(SHIPPED, "alert", Lane.IMMEDIATE, Severity.WARNING, "A parcel has left.");

        assertThat(did(database, tx -> types.register(tx, louder, "bob"))).isTrue();

        assertThat(found(database)).contains(louder);
        assertThat(did(database, tx -> types.isActive(tx, SHIPPED))).isTrue();
        assertThat(trail(database)).last().isEqualTo("changed|true|alert/immediate/warning|bob|registered again");
    }

    @Test
    void refusesToActivateWhatNobodyRegistered(TestDatabase database) {
        assertThatThrownBy(() -> did(database, tx -> types.activate(tx, SHIPPED, "ann", "yes")))
                .isInstanceOfSatisfying(OneRoofException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
                    assertThat(e.message()).isEqualTo("event type: 'shop/parcel.shipped' is not registered");
                });
        assertThat(found(database)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Shop, a, s, normal, info, ann, domain_is_a_name",
        "shop, a..b, s, normal, info, ann, type_is_a_name",
        "shop, a, S!, normal, info, ann, stream_is_a_name",
        "shop, a, s, slow, info, ann, lane_is_known",
        "shop, a, s, normal, dire, ann, severity_is_known",
        "shop, a, s, normal, info, '', actors_are_named"
    })
    void refusesADefinitionThatSaysNothingSensible(
            String domain,
            String type,
            String stream,
            String lane,
            String severity,
            String actor,
            String constraint,
            TestDatabase database) {
        assertThatThrownBy(() -> database.run(
                        "SELECT oneroof.fn_event_type_register(?, ?, ?, ?, ?, '', ?)",
                        domain,
                        type,
                        stream,
                        lane,
                        severity,
                        actor))
                .hasMessageContaining("event_type_registry_" + constraint);
    }

    @OnEveryServer
    void startsWithTheSilentWorkerAloneActive(TestDatabase database) {
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT event_domain || '/' || event_type FROM oneroof.event_type_registry WHERE active"))
                .containsExactly("system/queue_worker_silent");
        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.event_type_registry WHERE event_type ~ '^governance.handoff.'"))
                .isEqualTo(15);
    }

    @Test
    void keepsWhatOperatorsHaveSetWhenTheSeedRunsAgain(TestDatabase database) throws Exception {
        EventType silent = new EventType("system", "queue_worker_silent");
        did(database, tx -> types.deactivate(tx, silent, "ann", "too loud"));
        database.run("UPDATE oneroof.schema_history SET checksum = 1 WHERE description IN"
                + " ('event types seed', 'event functions', 'outbox partition functions')");

        assertThat(new Migrator(database.dataSource(), SchemaConfig.DEFAULT).migrate())
                .isEqualTo(3);

        assertThat(did(database, tx -> types.isActive(tx, silent))).isFalse();
    }

    private static List<String> trail(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT concat_ws('|', act, active::text, defaults, actor, reason) FROM oneroof.event_type_audit"
                        + " WHERE event_domain = 'shop' ORDER BY audit_id");
    }

    private Optional<EventTypeDefinition> found(TestDatabase database) {
        return db(database).inTx(tx -> types.find(tx, SHIPPED));
    }

    private static boolean did(TestDatabase database, Function<Tx, Boolean> act) {
        return db(database).inTx(act);
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
