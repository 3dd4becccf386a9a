package dev.oneroof.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.outbox.EventTypes;
import dev.oneroof.core.outbox.Outbox;
import dev.oneroof.core.outbox.OutboxPartitions;
import dev.oneroof.core.tabletail.CursorStore;
import dev.oneroof.core.tabletail.SourceStore;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Every statement of every store is prepared against the migrated schema, also those that no other test runs. */
@OneRoofTest
class StatementsTest {
    private static final List<Class<?>> STORES = List.of(
            LeaseStore.class,
            GateStore.class,
            SourceStore.class,
            CursorStore.class,
            Outbox.class,
            EventTypes.class,
            OutboxPartitions.class);

    @OnEveryServer
    void fitTheSchema(TestDatabase database) throws Exception {
        List<String> statements =
                STORES.stream().flatMap(StatementsTest::statements).toList();
        assertThat(statements).hasSizeGreaterThan(10);

        try (Connection connection = database.connect()) {
            for (String statement : statements) {
                assertThatCode(() -> describe(connection, statement))
                        .as(statement)
                        .doesNotThrowAnyException();
            }
        }
    }

    private static void describe(Connection connection, String statement) throws Exception {
        String positional = statement.replaceAll("(?<!:):[a-z_]+", "?");
        try (PreparedStatement prepared = connection.prepareStatement(positional)) {
            prepared.getParameterMetaData();
        }
    }

    private static Stream<String> statements(Class<?> store) {
        return Arrays.stream(store.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == String.class)
                .map(StatementsTest::text)
                // Made whole with a source's names; the tail's tests run those.
                .filter(statement -> !statement.contains("%"));
    }

    private static String text(Field field) {
        try {
            field.setAccessible(true);
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
