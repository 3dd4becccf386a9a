package dev.oneroof.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@OneRoofTest
class MigratorTest {
    @OnEveryServer
    void migratesOnceAndThenFindsNothingToDo(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        Migrator migrator = new Migrator(database.dataSource(), config);
        assertThat(migrator.status().state()).isEqualTo(SchemaStatus.State.ABSENT);

        assertThat(migrator.migrate()).isPositive();

        assertThat(migrator.status().state()).isEqualTo(SchemaStatus.State.CURRENT);
        assertThat(migrator.migrate()).isZero();
    }

    @Test
    void leavesEverythingToTheOwner(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);

        new Migrator(database.dataSource(), config).migrate();

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = ?::regnamespace"
                                + " UNION SELECT DISTINCT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = ?::regnamespace",
                        config.schema().quoted(),
                        config.schema().quoted()))
                .containsExactly(config.roles().owner());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Big", "o'brien", "a$$b", "${server}", "pg_mine", "1st", "x y", "näh"})
    void refusesASchemaNameThatWouldNeedQuotes(String name) {
        assertThatThrownBy(() -> new SchemaName(name)).hasMessageContaining("db.schema: '" + name + "'");
    }

    @Test
    void keepsWhatOperatorsHaveSet(TestDatabase database) throws Exception {
        database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.heartbeat.enabled'");
        // A changed checksum makes the seed run again.
        database.run("UPDATE oneroof.schema_history SET checksum = 1 WHERE description = 'gates and settings seed'");

        assertThat(new Migrator(database.dataSource(), SchemaConfig.DEFAULT).migrate())
                .isEqualTo(1);

        assertThat(database.value(
                        String.class, "SELECT value FROM oneroof.dot_config WHERE key = 'queue.heartbeat.enabled'"))
                .isEqualTo("false");
    }

    @Test
    void refusesASchemaThatIsNewerThanTheProgram(TestDatabase database) {
        database.run("INSERT INTO oneroof.schema_history (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success) VALUES (1000, '999', 'from the future', 'SQL', 'V999__x.sql',"
                + " 1, 'x', 1, true)");
        Migrator migrator = new Migrator(database.dataSource(), SchemaConfig.DEFAULT);

        assertThat(migrator.status().state()).isEqualTo(SchemaStatus.State.NEWER);
        assertThatThrownBy(migrator::migrate).isInstanceOfSatisfying(OneRoofException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_NEWER);
            assertThat(e.message()).contains("999").contains("newer oneroof");
        });
    }

    @Test
    void makesNoRolesForASchemaThatItRefuses(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        new Migrator(database.dataSource(), config).migrate();
        database.run(
                "INSERT INTO fresh.schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, execution_time, success) VALUES (1000, '999', 'x', 'SQL', 'V999__x.sql', 1, 'x', 1, true)");
        RoleNames others = new RoleNames(database.name() + "_other_");

        assertThatThrownBy(
                        () -> new Migrator(database.dataSource(), new SchemaConfig(config.schema(), others)).migrate())
                .hasMessageContaining("999");

        assertThat(database.value(Long.class, "SELECT count(*) FROM pg_roles WHERE rolname = ?", others.owner()))
                .isZero();
    }

    @Test
    void givesUpWhenAnotherMigrationDoesNotEnd(TestDatabase database) {
        try (Sql other = database.sql()) {
            other.run("SELECT pg_advisory_lock(hashtext('oneroof migrate'), hashtext('fresh'))");

            assertThatThrownBy(() ->
                            new Migrator(database.dataSource(), fresh(database), Duration.ofMillis(200)).migrate())
                    .isInstanceOfSatisfying(OneRoofException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
                        assertThat(e.message()).contains("another process is migrating");
                    });
        }
    }

    @OnEveryServer
    void letsManyInstancesMigrateAtOnce(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);

        List<Integer> ran = atOnce(IntStream.range(0, 4)
                .mapToObj(i -> (Callable<Integer>) () -> new Migrator(database.dataSource(), config).migrate())
                .toList());

        assertThat(ran.stream().filter(count -> count > 0)).hasSize(1);
    }

    @OnEveryServer
    void letsManyDatabasesOfOneClusterMigrateAtOnce(OwnServer server, TestDatabase first) throws Exception {
        List<TestDatabase> databases =
                IntStream.range(0, 6).mapToObj(i -> server.newDatabase()).toList();
        SchemaConfig config = new SchemaConfig(new SchemaName("shared"), new RoleNames("shared_"));
        try {
            List<Integer> ran = atOnce(databases.stream()
                    .map(database -> (Callable<Integer>) () -> new Migrator(database.dataSource(), config).migrate())
                    .toList());

            assertThat(ran).doesNotContain(0).hasSize(6);
        } finally {
            databases.forEach(TestDatabase::close);
        }
    }

    @OnEveryServer
    void needsNoMoreThanTheRightToCreateRolesAndASchema(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        String login = login(database, "CREATEROLE");
        database.run("GRANT CREATE ON DATABASE " + database.name() + " TO " + login);

        assertThat(new Migrator(as(database, login), config).migrate()).isPositive();
    }

    @OnEveryServer
    void namesWhatIsMissingWhenItMayNotCreateRoles(TestDatabase database) {
        SchemaConfig config = fresh(database);
        String login = login(database, "NOCREATEROLE");

        assertThatThrownBy(() -> new Migrator(as(database, login), config).migrate())
                .isInstanceOfSatisfying(OneRoofException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.PRIVILEGE_MISSING);
                    assertThat(e.message()).contains(login, config.roles().owner(), "--print-roles");
                });
        assertThat(new Migrator(database.dataSource(), config).status().state()).isEqualTo(SchemaStatus.State.ABSENT);
    }

    @OnEveryServer
    void goesOnOnceADbaHasRunTheScript(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        String login = login(database, "NOCREATEROLE");
        Migrator migrator = new Migrator(as(database, login), config);

        try (Sql dba = database.sql()) {
            dba.run(migrator.roleScript(login));
            dba.run(migrator.roleScript(login));
        }

        assertThat(migrator.migrate()).isPositive();
    }

    @OnEveryServer
    void grantsEachRoleWhatItNeedsAndPublicNothing(TestDatabase database) {
        assertThat(privileges(database, "public")).isEmpty();
        assertThat(privileges(database, "oneroof_viewer")).isNotEmpty().allMatch(p -> p.endsWith("SELECT"));
        assertThat(privileges(database, "dot_executor")).isEmpty();
        assertThat(privileges(database, "oneroof_server"))
                .contains("gov_candidate_state INSERT", "gov_worker_cursor UPDATE")
                .doesNotContain("dot_config INSERT", "dot_config DELETE", "dot_config_audit INSERT");
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT proname FROM pg_proc WHERE pronamespace = 'oneroof'::regnamespace"
                                + " AND has_function_privilege('public', oid, 'EXECUTE')"))
                .isEmpty();
    }

    private static List<String> privileges(TestDatabase database, String role) {
        return database.list(
                row -> row.getString(1),
                "SELECT table_name || ' ' || privilege_type FROM information_schema.role_table_grants"
                        + " WHERE table_schema = 'oneroof' AND lower(grantee) = ?",
                role);
    }

    private static SchemaConfig fresh(TestDatabase database) {
        return new SchemaConfig(new SchemaName("fresh"), new RoleNames(database.name() + "_"));
    }

    private static String login(TestDatabase database, String right) {
        String login = database.name() + "_login";
        database.run("CREATE ROLE " + login + " LOGIN PASSWORD 'secret' " + right);
        return login;
    }

    private static DataSource as(TestDatabase database, String login) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(login);
        source.setPassword("secret");
        return source;
    }

    private static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(tasks.size())) {
            List<T> results = new java.util.ArrayList<>();
            for (Future<T> future : pool.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        }
    }
}
