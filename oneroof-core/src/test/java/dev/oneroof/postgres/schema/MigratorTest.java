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
import java.util.Locale;
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
    void refusesARoleThatItHasNotMadeAndMakesNothing(TestDatabase database) {
        SchemaConfig config = fresh(database);
        String role = config.roles().admin();
        String member = login(database, "NOCREATEROLE");
        database.run("CREATE ROLE " + role + " LOGIN CREATEROLE");
        database.run("GRANT " + role + " TO " + member);

        assertThatThrownBy(() -> new Migrator(database.dataSource(), config).migrate())
                .isInstanceOfSatisfying(OneRoofException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
                    assertThat(e.message())
                            .contains(role, "may log in", "may create roles", "has members " + member)
                            .contains("db.role_prefix", "ONEROOF_DB_ROLE_PREFIX", "--adopt-roles");
                });

        assertThat(rolesOf(config, database)).containsExactly(role);
        assertThat(new Migrator(database.dataSource(), config).status().state()).isEqualTo(SchemaStatus.State.ABSENT);
    }

    @OnEveryServer
    void adoptsARoleWhenAskedAndRecordsIt(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        String role = config.roles().admin();
        database.run("CREATE ROLE " + role + " LOGIN");
        database.run("COMMENT ON ROLE " + role + " IS 'it''s Ann''s \\'");
        Migrator migrator = new Migrator(database.dataSource(), config);

        assertThat(migrator.adoptingRoles().migrate()).isPositive();

        assertThat(comment(database, role))
                .startsWith("OneRoof role, adopted at ")
                .contains(" by " + database.address().user())
                .endsWith("said before: it's Ann's \\");
        assertThat(migrator.migrate()).isZero();
    }

    @OnEveryServer
    void adoptsNoRoleWithRightsOnTheWholeCluster(TestDatabase database) {
        for (String right : List.of("SUPERUSER", "CREATEROLE", "CREATEDB", "REPLICATION", "BYPASSRLS")) {
            SchemaConfig config = new SchemaConfig(
                    new SchemaName("fresh"),
                    new RoleNames(database.name() + "_" + right.toLowerCase(Locale.ROOT) + "_"));
            database.run("CREATE ROLE " + config.roles().owner() + " " + right);

            assertThatThrownBy(() -> new Migrator(database.dataSource(), config)
                            .adoptingRoles()
                            .migrate())
                    .as(right)
                    .isInstanceOfSatisfying(
                            OneRoofException.class,
                            e -> assertThat(e.message())
                                    .contains(config.roles().owner(), "ALTER ROLE", "db.role_prefix"));
            assertThatThrownBy(() -> runScript(
                            database,
                            new Migrator(database.dataSource(), config)
                                    .adoptingRoles()
                                    .roleScript("x")))
                    .as(right)
                    .hasMessageContaining("rights on the whole cluster");

            assertThat(rolesOf(config, database)).hasSize(1);
        }
    }

    @OnEveryServer
    void printsAFileThatRefusesOrAdoptsRolesLikewise(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        String login = login(database, "NOCREATEROLE");
        Migrator migrator = new Migrator(as(database, login), config);
        database.run("CREATE ROLE " + config.roles().server());

        assertThatThrownBy(() -> runScript(database, migrator.roleScript(login)))
                .hasMessageContaining("role " + config.roles().server() + " exists and was not made by OneRoof");
        assertThat(rolesOf(config, database)).hasSize(1);

        runScript(database, migrator.adoptingRoles().roleScript(login));
        assertThat(comment(database, config.roles().server())).contains("adopted at");
        assertThat(migrator.migrate()).isPositive();
    }

    @OnEveryServer
    void admitsALoginToWhatTheProgramAndOperatorsDo(TestDatabase database) throws Exception {
        SchemaConfig config = fresh(database);
        String login = login(database, "NOCREATEROLE");
        Migrator migrator = new Migrator(database.dataSource(), config).admitting(login);
        migrator.migrate();
        migrator.migrate();

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = ?::regrole ORDER BY 1",
                        login))
                .containsExactly(config.roles().server(), config.roles().admin());
    }

    @Test
    void saysThatAnotherBuildMadeTheSchema(TestDatabase database) {
        database.run("UPDATE oneroof.schema_history SET checksum = 1 WHERE version = '12'");
        Migrator migrator = new Migrator(database.dataSource(), SchemaConfig.DEFAULT);

        assertThat(migrator.status().state()).isEqualTo(SchemaStatus.State.DIFFERENT);
        assertThatThrownBy(migrator::migrate).isInstanceOfSatisfying(OneRoofException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_DIFFERENT);
            assertThat(e.message())
                    .contains("earlier development build", "12 (jobs)")
                    .doesNotContain("checksum");
        });
    }

    private static List<String> rolesOf(SchemaConfig config, TestDatabase database) {
        return database.list(
                row -> row.getString(1), "SELECT rolname FROM pg_roles WHERE rolname = ANY (?) ORDER BY 1", (Object)
                        config.roles().all().toArray(String[]::new));
    }

    private static String comment(TestDatabase database, String role) {
        return database.value(String.class, "SELECT shobj_description(?::regrole, 'pg_authid')", role);
    }

    /** As a DBA does: a file that fails leaves nothing. */
    private static void runScript(TestDatabase database, String script) {
        try (Sql dba = database.sql()) {
            try {
                dba.run(script);
            } finally {
                dba.run("ROLLBACK");
            }
        }
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
