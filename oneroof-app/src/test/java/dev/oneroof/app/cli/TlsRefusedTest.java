package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.Main;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A password goes to no server that refuses the protection that was asked for. */
@OneRoofTest
class TlsRefusedTest {
    private static final String PASSWORD = "open sesame";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"require", "verify-full"})
    void sendsNoPasswordWhereTheEnvironmentDemandsTls(String mode) throws Exception {
        try (PasswordTrap trap = new PasswordTrap()) {
            Oneroof.Answer answer = new Oneroof(folder)
                    .with("ONEROOF_DB_URL", "postgres://ann@127.0.0.1:%d/reg".formatted(trap.port()))
                    .with("PGSSLMODE", mode)
                    .with("PGPASSWORD", PASSWORD)
                    .run("db", "status");

            assertThat(trap.received()).containsOnly(PasswordTrap.TLS_REQUEST);
            assertTlsRefused(answer, "sslmode is '" + mode + "'");
        }
    }

    @Test
    void sendsNoPasswordWhereTheUrlDemandsTls() throws Exception {
        try (PasswordTrap trap = new PasswordTrap()) {
            Oneroof.Answer answer = new Oneroof(folder)
                    .with("ONEROOF_DB_URL", "postgres://ann@127.0.0.1:%d/reg?sslmode=require".formatted(trap.port()))
                    .with("PGSSLMODE", "disable")
                    .with("PGPASSWORD", PASSWORD)
                    .run("db", "status");

            assertThat(trap.received()).containsOnly(PasswordTrap.TLS_REQUEST);
            assertTlsRefused(answer, "sslmode is 'require'");
        }
    }

    /** The trap works: on loopback, where nothing is demanded, the password is sent. */
    @Test
    void thePasswordIsSentWhereNothingIsDemanded() throws Exception {
        try (PasswordTrap trap = new PasswordTrap()) {
            new Oneroof(folder)
                    .with("ONEROOF_DB_URL", "postgres://ann@127.0.0.1:%d/reg".formatted(trap.port()))
                    .with("PGPASSWORD", PASSWORD)
                    .run("db", "status");

            assertThat(trap.received()).contains("password " + PASSWORD);
        }
    }

    @Test
    void sendsNoPasswordByDefaultToAServerThatIsNotOnLoopback() throws Exception {
        try (PasswordTrap trap = new PasswordTrap()) {
            Oneroof.Answer answer = remote(trap.port(), "reg", "");

            assertThat(trap.received()).containsOnly(PasswordTrap.TLS_REQUEST);
            assertTlsRefused(
                    answer,
                    "sslmode is 'verify-full' (the default for a server that is not on loopback)",
                    "by sslmode in the URL or PGSSLMODE",
                    "allowed are disable, allow, prefer, require, verify-ca, verify-full");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"require", "verify-full"})
    void saysThatARealServerRefusedTls(String mode, TestDatabase database) {
        Oneroof.Answer answer =
                new Oneroof(folder).on(database).with("PGSSLMODE", mode).run("db", "status");

        assertTlsRefused(answer, "sslmode is '" + mode + "'");
    }

    @Test
    void saysThatTlsAndNotThePasswordIsMissing(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .with("ONEROOF_DB_URL", Oneroof.url(database, database.address().user()))
                .with("PGSSLMODE", "require")
                .run("db", "status");

        assertTlsRefused(answer, "sslmode is 'require'");
    }

    @Test
    void connectsWithoutTlsWhereThatIsAskedFor(TestDatabase database) throws Exception {
        String login = database.name() + "_ann";
        database.run("CREATE ROLE %s LOGIN SUPERUSER PASSWORD '%s'".formatted(login, PASSWORD));

        Oneroof.Answer answer = remote(database.address().port(), login, database.name(), "?sslmode=prefer");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains("db.example");
    }

    private Oneroof.Answer remote(int port, String database, String parameters) throws IOException {
        return remote(port, "ann", database, parameters);
    }

    /** By a name that this process alone knows, so that a server on loopback is one elsewhere. */
    private Oneroof.Answer remote(int port, String login, String database, String parameters) throws IOException {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 db.example\n");
        try (JavaProcess process = JavaProcess.of(Main.class)
                .jvmOptions("-Djdk.net.hosts.file=" + hosts)
                .arguments("db", "status")
                .in(folder)
                .environment(
                        "ONEROOF_DB_URL",
                        "postgres://%s@db.example:%d/%s%s".formatted(login, port, database, parameters))
                .environment("PGPASSWORD", PASSWORD)
                .start()) {
            int exit = process.awaitExit(Duration.ofMinutes(1));
            return new Oneroof.Answer(exit, process.out().whole(), process.err().whole());
        }
    }

    private static void assertTlsRefused(Oneroof.Answer answer, String... parts) {
        assertThat(answer.err())
                .contains("refused TLS", "no password was sent")
                .contains(parts)
                .doesNotContain("none is set", PASSWORD);
        assertThat(answer.exit()).isEqualTo(69);
    }
}
