package dev.oneroof.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every statement of every store is prepared against the migrated schema, also those that no other test runs. */
@OneRoofTest
class StatementsTest {
    private static final Pattern STATEMENT = Pattern.compile("(?s)(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*");

    @OnEveryServer
    void fitTheSchema(TestDatabase database) throws Exception {
        List<String> statements =
                stores().stream().flatMap(StatementsTest::statements).toList();
        assertThat(statements).hasSizeGreaterThan(100);

        try (Connection connection = database.connect()) {
            for (String statement : statements) {
                assertThatCode(() -> describe(connection, statement))
                        .as(statement)
                        .doesNotThrowAnyException();
            }
        }
    }

    /** Every class whose name ends in Store; {@link ArchitectureTest} keeps statements out of all others. */
    private static List<Class<?>> stores() throws Exception {
        Path classes = Path.of(LeaseStore.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> stores = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(path -> path.toString().endsWith("Store.class"))
                    // Puts its statement together by what the server can tell.
                    .filter(path -> !path.endsWith("CollationStore.class"))
                    .toList()) {
                String name = classes.relativize(file).toString().replace(File.separatorChar, '.');
                stores.add(Class.forName(name.substring(0, name.length() - ".class".length())));
            }
        }
        return stores;
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
                .filter(statement -> STATEMENT.matcher(statement).matches())
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
