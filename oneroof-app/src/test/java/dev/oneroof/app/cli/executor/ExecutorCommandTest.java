package dev.oneroof.app.cli.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OneRoofTest
class ExecutorCommandTest {
    @TempDir
    Path folder;

    private TestDatabase database;
    private Oneroof command;
    private String login;

    @BeforeEach
    void hasALogin(TestDatabase given) {
        database = given;
        command = new Oneroof(folder).on(database);
        login = database.name() + "_mail";
        database.run("CREATE ROLE %s LOGIN IN ROLE dot_executor".formatted(login));
    }

    @AfterEach
    void dropLogin() {
        database.run("DROP ROLE " + login);
    }

    @Test
    void grantsListsAndRevokes() {
        Oneroof.Answer granted = command.run(
                "executor",
                "grant",
                login,
                "--kind",
                "mail.send",
                "--kind",
                "post.*",
                "--executor",
                "mail-*",
                "--domain",
                "shop",
                "--reason",
                "mail is theirs");
        assertThat(granted.exit()).as(granted.err()).isZero();
        assertThat(granted.err()).contains("%s: 4 grants added".formatted(login));

        Oneroof.Answer listed = command.run("executor", "list");
        assertThat(listed.exit()).isZero();
        assertThat(listed.out().lines())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line)
                        .startsWith(login)
                        .contains("kind", "post.*", "granted", System.getProperty("user.name"), "mail is theirs"));
        assertThat(command.run("executor", "list", login, "--json").out())
                .contains("\"login\":\"%s\"".formatted(login), "\"name\":\"mail-*\"");

        assertThat(command.run("executor", "revoke", login, "--kind", "post.*", "--reason", "not theirs")
                        .err())
                .contains("%s: 1 grant revoked".formatted(login));
        assertThat(command.run("executor", "revoke", login, "--all", "--reason", "gone", "--json")
                        .out())
                .contains("\"done\":\"revoked\"", "\"grants\":3");
        Oneroof.Answer none = command.run("executor", "list", login);
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).contains("nothing is granted");
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT act || ' ' || target || ': ' || reason FROM oneroof.operator_act ORDER BY act_id"))
                .containsExactly(
                        "executor_grant login %s: mail is theirs".formatted(login),
                        "executor_revoke login %s: not theirs".formatted(login),
                        "executor_revoke login %s: gone".formatted(login));
    }

    @Test
    void saysWhatIsWrong() {
        assertRefused(2, "Missing required option: '--reason", "executor", "grant", login, "--kind", "a");
        assertRefused(2, "missing verb; use grant, revoke or list", "executor");
        assertRefused(2, "grant: nothing is named", "executor", "grant", login, "--reason", "x");
        assertRefused(
                2,
                "domain: 'system' is not allowed; it is internal",
                "executor",
                "grant",
                login,
                "--domain",
                "system",
                "--reason",
                "x");
        assertRefused(
                2,
                "kind: 'Mail Send' is not allowed",
                "executor",
                "grant",
                login,
                "--kind",
                "Mail Send",
                "--reason",
                "x");
        assertRefused(
                4,
                "login: there is no role 'nobody_at_all'",
                "executor",
                "grant",
                "nobody_at_all",
                "--kind",
                "a",
                "--reason",
                "x");
        assertRefused(
                2,
                "--all: not allowed together with --kind",
                "executor",
                "revoke",
                login,
                "--all",
                "--kind",
                "a",
                "--reason",
                "x");
        assertRefused(
                2, "revoke: allowed are kinds, executors and domains", "executor", "revoke", login, "--reason", "x");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isZero();
    }

    private void assertRefused(int exit, String says, String... arguments) {
        Oneroof.Answer answer = command.run(arguments);
        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(says);
        assertThat(answer.out()).isEmpty();
    }
}
