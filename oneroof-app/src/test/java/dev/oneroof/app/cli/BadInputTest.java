package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.PostgresBinaries;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One clear message, the right exit code, and nothing left behind. */
@OneRoofTest
class BadInputTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    dmeo                    | demo
                    demo --rosw 5           | --rows
                    db migrat               | migrate
                    db status --jsno        | --json
                    """)
    void suggestsWhatWasMeant(String typed, String meant) {
        Oneroof.Answer answer = new Oneroof(folder).run(typed.split(" "));

        assertRefused(answer, 2, "did you mean '" + meant + "'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "many", "1.5", "99999999999999999999", ""})
    void wantsAWholePositiveNumberOfRows(String rows) {
        Oneroof.Answer answer = new Oneroof(folder).run("demo", "--once", "--rows", rows);

        assertRefused(answer, 2, "--rows", "'" + rows + "' is not allowed", "from 1 to 100000000");
    }

    @Test
    void asksForACommand() {
        assertRefused(new Oneroof(folder).runAsProcess(), 2, "missing command");
        assertRefused(new Oneroof(folder).run("db"), 2, "missing verb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --once", "db migrate", "db status"})
    void tellsThatADatabaseIsOutOfReach(String command) {
        Oneroof.Answer answer = new Oneroof(folder).run((command + " --db postgres://ann@127.0.0.1:1/reg").split(" "));

        assertRefused(answer, 69, "cannot reach postgres://ann@127.0.0.1:1/reg");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job retry 01900000-0000-7000-8000-000000000000",
                "job pause mark_file",
                "job resume mark_file",
                "cursor accept sorter/parcels",
                "gate close queue.heartbeat.enabled",
                "schedule pause nights",
                "instance forget pod-7",
                "source remove parcels"
            })
    void refusesAReasonThatSaysNothingBeforeItLooksForADatabase(String command) {
        Stream<String> words = Stream.of((command + " --db postgres://ann@127.0.0.1:1/reg --reason").split(" "));

        Oneroof.Answer answer =
                new Oneroof(folder).run(Stream.concat(words, Stream.of(" ")).toArray(String[]::new));

        assertRefused(answer, 2, "--reason: ' ' is not allowed; allowed are 1 to 500 characters");
    }

    @Test
    void tellsThatADatabaseDoesNotExist(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .on(database)
                .run(
                        "db",
                        "status",
                        "--db",
                        Oneroof.url(database, database.address().user()) + "_not");

        assertRefused(answer, 69, "cannot reach", "_not");
    }

    @Test
    void tellsThatThePasswordIsWrong(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .on(database)
                .with("ONEROOF_DB_PASSWORD", "guess")
                .runAsProcess("demo", "--once");

        assertRefused(answer, 6, "refused the login");
        assertThat(answer.err()).doesNotContain("guess");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres://ann:secret@host/reg", "postgres://host/reg?user=ann&password=secret"})
    void takesNoPasswordOnTheCommandLine(String url) {
        Oneroof.Answer answer = new Oneroof(folder).run("db", "status", "--db", url);

        assertRefused(answer, 2, "a password does not belong on the command line");
        assertThat(answer.err()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    mysql://host/reg          | mysql://host/reg     | does not begin with postgres://
                    host                      | host                 | does not begin with postgres://
                    postgres://ho st/reg      | postgres://ho st/reg | has a space
                    postgres://host:99999/reg | postgres://***       | port is not a whole number from 1 to 65535
                    postgres://host/reg?a=b   | postgres://***       | parameter 'a' is not known
                    """)
    void tellsWhatAnAddressLooksLike(String url, String shown, String problem) {
        Oneroof.Answer answer = new Oneroof(folder).run("db", "status", "--db", url);

        assertRefused(
                answer,
                2,
                "--db: '" + shown + "' is no database address",
                problem,
                "postgres://user@host:port/database");
        assertThat(answer.err()).as("told once").containsOnlyOnce("is no database address");
    }

    @Test
    void refusesAServerThatIsTooOld(@TempDir Path old) {
        PostgresBinaries binaries =
                PostgresBinaries.fromJar(Path.of(System.getProperty("oneroof.test.postgres.unsupported")));
        try (EmbeddedPostgres server =
                EmbeddedPostgres.open(EmbeddedConfig.in(old).withBinaries(binaries))) {
            Oneroof.Answer answer = new Oneroof(folder)
                    .with("ONEROOF_DB_PASSWORD", server.address().password())
                    .run(
                            "db",
                            "migrate",
                            "--db",
                            "postgres://%s@127.0.0.1:%d/postgres"
                                    .formatted(
                                            server.address().user(),
                                            server.address().port()));

            assertRefused(answer, 1, "PostgreSQL 13", "needs 14 or newer");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --once", "db migrate"})
    void refusesASchemaThatIsNewerThanTheProgram(String command, TestDatabase database) {
        database.run("INSERT INTO oneroof.schema_history (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success) VALUES (1000, '999', 'from the future', 'SQL', 'V999__x.sql',"
                + " 1, 'x', 1, true)");

        Oneroof.Answer answer = new Oneroof(folder).on(database).runAsProcess(command.split(" "));

        assertRefused(answer, 5, "version 999", "use a newer oneroof");
        assertThat(database.value(Long.class, "SELECT count(*) FROM pg_namespace WHERE nspname = 'oneroof_demo'"))
                .isZero();
        assertThat(new Oneroof(folder).on(database).run("db", "status").exit()).isEqualTo(3);
    }

    @Test
    void tellsWhoMustCreateTheRoles(TestDatabase database) {
        String login = database.name() + "_ann";
        database.run("CREATE ROLE " + login + " LOGIN PASSWORD 'open sesame'");
        Oneroof command = new Oneroof(folder)
                .with("ONEROOF_DB_URL", Oneroof.url(database, login))
                .with("ONEROOF_DB_PASSWORD", "open sesame")
                .with("ONEROOF_DB_ROLE_PREFIX", database.name() + "_")
                .with("ONEROOF_DB_SCHEMA", "mine");

        assertRefused(command.runAsProcess("db", "migrate"), 6, login + " may not create roles", "--print-roles");

        Oneroof.Answer script = command.run("db", "migrate", "--print-roles");
        assertThat(script.exit()).isZero();
        database.run(script.out());
        assertThat(command.run("db", "migrate").exit()).isZero();
    }

    @Test
    void takesNoRoleOfOthersUnlessAsked(TestDatabase database) {
        String role = database.name() + "_workflow_admin";
        database.run("CREATE ROLE " + role + " LOGIN");
        Oneroof command = new Oneroof(folder)
                .on(database)
                .with("ONEROOF_DB_ROLE_PREFIX", database.name() + "_")
                .with("ONEROOF_DB_SCHEMA", "mine");

        assertRefused(command.run("db", "migrate"), 5, role, "may log in", "db.role_prefix", "--adopt-roles");

        assertThat(command.run("db", "migrate", "--adopt-roles").exit()).isZero();
        assertThat(command.run("db", "migrate").exit()).isZero();
    }

    @Test
    void suggestsTheSettingThatWasMeant() throws IOException {
        Path file = folder.resolve("oneroof.yaml");
        Files.writeString(file, "db:\n  scheam: x\n  pool_size: 1\nhoem: y\n");

        Oneroof.Answer answer =
                new Oneroof(folder).with("ONEROOF_EMBEDDED_PROT", "1").runAsProcess("demo", "--once");

        Files.delete(file);
        assertRefused(
                answer,
                2,
                "unknown key 'db.scheam'; did you mean 'db.schema'?",
                "unknown key 'hoem'; did you mean 'home'?",
                "unknown variable 'ONEROOF_EMBEDDED_PROT'; did you mean 'ONEROOF_EMBEDDED_PORT'?",
                "db.pool_size: '1' is not allowed; allowed is a whole number from 3 to 100");
    }

    @Test
    void tellsThatAConfigFileIsNoYaml() throws IOException {
        Path file = Files.writeString(folder.resolve("broken.yaml"), "db: [");

        Oneroof.Answer answer = new Oneroof(folder).run("db", "status", "--config", file.toString());
        Oneroof.Answer missing = new Oneroof(folder).run("db", "status", "--config", "nowhere.yaml");

        Files.delete(file);
        assertRefused(answer, 2, "broken.yaml' is no valid YAML");
        assertRefused(missing, 4, "'nowhere.yaml' is no file that can be read");
    }

    @Test
    void tellsThatThePortIsInUse(@TempDir Path elsewhere) throws IOException {
        Path home = elsewhere.resolve("home");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Oneroof.Answer answer = new Oneroof(folder)
                    .with("ONEROOF_EMBEDDED_PORT", Integer.toString(taken.getLocalPort()))
                    .run("demo", "--once", "--home", home.toString());

            assertRefused(answer, 5, Integer.toString(taken.getLocalPort()));
            assertThat(home).doesNotExist();
        }
    }

    @Test
    void tellsWhoHasTheHome(@TempDir Path home) {
        try (EmbeddedPostgres owner = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            Oneroof.Answer answer = new Oneroof(folder).runAsProcess("demo", "--once", "--home", home.toString());

            assertRefused(
                    answer,
                    5,
                    home.toString(),
                    Long.toString(ProcessHandle.current().pid()),
                    "--home FOLDER");
            assertThat(owner.address()).isEqualTo(EmbeddedPostgres.running(home).orElseThrow());
        }
    }

    @Test
    void tellsThatItCannotWriteThere() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "a file is no folder");

        Oneroof.Answer answer = new Oneroof(folder)
                .run("demo", "--once", "--home", file.resolve("in/it").toString());

        Files.delete(file);
        assertRefused(answer, 6, file.toString());
    }

    @Test
    void looksOnlyAtAHomeThatExists() {
        assertRefused(new Oneroof(folder).runAsProcess("db", "status"), 4, "there is no database in", ".oneroof");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --once", "db migrate", "db status"})
    void makesNoHomeOfAFolderWithOtherThings(String command, @TempDir Path documents) throws IOException {
        Files.writeString(documents.resolve("letter.txt"), "Dear Ann");

        Oneroof.Answer answer = new Oneroof(folder).run((command + " --home " + documents).split(" "));

        assertRefused(answer, 2, documents.toString(), "contains other files");
        assertThat(leftIn(documents)).containsExactly(documents.resolve("letter.txt"));
    }

    @Test
    void takesAnEmptyVariableForASlip() {
        assertRefused(new Oneroof(folder).with("ONEROOF_HOME", "").run("db", "status"), 2, "home: '' is not allowed");
        assertRefused(new Oneroof(folder).run("db", "status", "--home", ""), 2, "home: '' is not allowed");
    }

    @Test
    void namesAHostThatDoesNotExist() {
        Oneroof.Answer answer =
                new Oneroof(folder).runAsProcess("db", "status", "--db", "postgres://ann@no.such.host.invalid/reg");

        assertRefused(answer, 69, "unknown host no.such.host.invalid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"db: {schema: [1, 2]}", "- a", "just a text", "home: x\nhome: y"})
    void wantsKeysWithOneValueEachInAConfigFile(String content) throws IOException {
        Path file = Files.writeString(folder.resolve("odd.yaml"), content);

        Oneroof.Answer answer = new Oneroof(folder).run("db", "status", "--config", file.toString());

        Files.delete(file);
        assertRefused(answer, 2, "config: ");
    }

    private void assertRefused(Oneroof.Answer answer, int exit, String... parts) {
        assertThat(answer.err()).as("stderr").contains(parts).doesNotContain("\tat ", "Exception");
        assertThat(answer.err().lines()).allMatch(line -> line.startsWith("oneroof: "));
        assertThat(answer.exit()).as("exit code").isEqualTo(exit);
        assertThat(answer.out()).as("stdout").isEmpty();
        assertThat(leftIn(folder)).as("left behind").isEmpty();
    }

    private static Stream<Path> leftIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
