package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A login that is refused is refused with the reason that holds, and the way out. */
@OneRoofTest
class LoginRefusedTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "PGCHANNELBINDING, require, channel_binding is 'require'",
        "PGREQUIREAUTH, md5, require_auth does not allow",
        "PGREQUIREAUTH, none, require_auth does not allow"
    })
    void namesTheParameterAndNotThePassword(String variable, String value, String reason, TestDatabase database) {
        Oneroof.Answer answer =
                new Oneroof(folder).on(database).with(variable, value).run("db", "status");

        assertThat(answer.err()).contains(reason, variable).doesNotContain("none is set");
    }

    @Test
    void saysThatThePasswordIsMissingWhereNoneIsSet(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .with("ONEROOF_DB_URL", Oneroof.url(database, database.address().user()))
                .run("db", "status");

        assertThat(answer.err()).contains("asks for a password, and none is set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "oneroof_viewer", "dot_executor"})
    void namesTheRoleThatTheLoginLacks(String role, TestDatabase database) {
        String login = database.name() + "_wa";
        database.run("CREATE ROLE %s LOGIN PASSWORD 'open sesame'".formatted(login));
        if (!role.isEmpty()) {
            database.run("GRANT %s TO %s".formatted(role, login));
        }
        Oneroof.Answer answer = new Oneroof(folder)
                .with("ONEROOF_DB_URL", Oneroof.url(database, login))
                .with("ONEROOF_DB_PASSWORD", "open sesame")
                .run("gate", "list");
        database.run("DROP ROLE " + login);

        assertThat(answer.err())
                .contains(
                        "user '%s' is not a member of role 'oneroof_server'".formatted(login),
                        "GRANT oneroof_server TO " + login);
        assertThat(answer.exit()).isEqualTo(6);
    }
}
