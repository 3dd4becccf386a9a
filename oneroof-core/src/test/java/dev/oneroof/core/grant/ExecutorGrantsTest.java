package dev.oneroof.core.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How grants are given and taken, to which logins, and what is kept of it. */
@OneRoofTest
class ExecutorGrantsTest {
    private static final OperatorAct BY_ANN = new OperatorAct("ann", "mail is theirs");
    private static final String ACTS = """
            SELECT concat_ws(' ', act, target, actor, reason, details ->> 'names') || ' ' || (db_user = session_user)
            FROM oneroof.operator_act
            WHERE act IN ('executor_grant', 'executor_revoke')
            ORDER BY act_id
            """;
    private static final String BEAT = "SELECT oneroof.fn_queue_heartbeat_tick('mail-1', 'Agent')";

    private TestDatabase database;
    private Logins logins;
    private ExecutorGrants grants;
    private String login;

    @BeforeEach
    void hasALogin(TestDatabase given) {
        database = given;
        logins = new Logins(database);
        grants = new ExecutorGrants(new Database(database.dataSource(), SchemaName.DEFAULT));
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mail-1', 'Agent')");
        login = logins.executor("_mail");
    }

    @AfterEach
    void dropLogins() {
        logins.close();
    }

    @Test
    void grantsAreActs() {
        assertThat(grants.grant(login, new GrantNames(List.of("mail.*"), List.of("mail-1"), List.of("shop")), BY_ANN))
                .isEqualTo(3);
        assertThat(grants.grant(login, kinds("mail.*"), BY_ANN))
                .as("what it has already")
                .isZero();
        assertThat(grants.grant(login, kinds("mail.*", "post.send"), BY_ANN)).isOne();
        assertThat(grants.revoke(login, kinds("post.send", "not.granted"), BY_ANN))
                .isOne();
        assertThat(grants.revoke(login, kinds("not.granted"), BY_ANN)).isZero();
        assertThat(grants.revokeAll(login, BY_ANN)).isEqualTo(3);

        assertThat(strings(ACTS))
                .containsExactly(
                        "executor_grant login %s ann mail is theirs [\"domain shop\", \"executor mail-1\", \"kind mail.*\"] true"
                                .formatted(login),
                        "executor_grant login %s ann mail is theirs [\"kind post.send\"] true".formatted(login),
                        "executor_revoke login %s ann mail is theirs [\"kind post.send\"] true".formatted(login),
                        "executor_revoke login %s ann mail is theirs [\"domain shop\", \"executor mail-1\", \"kind mail.*\"] true"
                                .formatted(login));
        assertThat(grants.list()).isEmpty();
    }

    @Test
    void grantsAreListedWithWhoGaveThemAndWhetherTheyHaveAnEffect() {
        String passerBy = logins.create("_passer_by", "");
        String server = logins.create("_server", "IN ROLE oneroof_server, dot_executor");
        for (String name : List.of(login, passerBy, server)) {
            grants.grant(name, kinds("mail.send"), BY_ANN);
        }

        assertThat(grants.list())
                .extracting(ExecutorGrant::login, ExecutorGrant::state)
                .containsExactlyInAnyOrder(
                        tuple(login, "granted"), tuple(passerBy, "no executor"), tuple(server, "exempt"));
        assertThat(grants.list(login)).singleElement().satisfies(grant -> {
            assertThat(grant.subject()).isEqualTo("kind");
            assertThat(grant.name()).isEqualTo("mail.send");
            assertThat(grant.actor()).isEqualTo("ann");
            assertThat(grant.reason()).isEqualTo("mail is theirs");
            assertThat(grant.dbUser()).isEqualTo(database.address().user());
        });
    }

    @OnEveryServer
    void onlyAdminsAndTheServerGrant() {
        String grant = "SELECT oneroof.fn_executor_grant('%s', 'x', 'ann', ARRAY['mail.send'])".formatted(login);
        String revoke = "SELECT oneroof.fn_executor_revoke('%s', 'x', 'ann', p_all => true)".formatted(login);
        String list = "SELECT count(*) FROM oneroof.v_executor_grant";
        String write = "INSERT INTO oneroof.queue_executor_grant VALUES ('%s'::regrole, 'kind', 'a', 'a', 'a')"
                .formatted(login);
        try (Sql sql = database.sql()) {
            for (String role : List.of("workflow_admin", "oneroof_server")) {
                sql.run("SET ROLE " + role);
                List.of(grant, list, revoke).forEach(sql::run);
                assertDenied(sql, write);
                assertDenied(sql, "DELETE FROM oneroof.queue_executor_grant");
            }
            sql.run("SET ROLE oneroof_viewer");
            sql.run(list);
            List.of(grant, revoke, write).forEach(denied -> assertDenied(sql, denied));
        }
        try (Sql sql = logins.connect(login)) {
            List.of(grant, revoke, list, write).forEach(denied -> assertDenied(sql, denied));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    kind     | Mail.Send         | allowed are 1 to 100 of a-z, 0-9, _ and .
                    kind     | mail send         | allowed are 1 to 100 of a-z, 0-9, _ and .
                    kind     | ma*il             | allowed are 1 to 100 of a-z, 0-9, _ and .
                    kind     | **                | allowed are 1 to 100 of a-z, 0-9, _ and .
                    kind     | ''                | allowed are 1 to 100 of a-z, 0-9, _ and .
                    kind     | 'mail''; DROP'    | allowed are 1 to 100 of a-z, 0-9, _ and .
                    executor | ''                | allowed are 1 to 500 bytes
                    domain   | Shop              | allowed are 1 to 50 of a-z, 0-9 and _
                    domain   | shop.a            | allowed are 1 to 50 of a-z, 0-9 and _
                    domain   | system            | it is internal
                    domain   | governance        | it is internal
                    """)
    void refusesNamesThatCannotBeAndGrantsNothing(String subject, String name, String why) {
        GrantNames names = new GrantNames(
                subject.equals("kind") ? List.of("mail.send", name) : List.of("mail.send"),
                subject.equals("executor") ? List.of(name) : List.of(),
                subject.equals("domain") ? List.of(name) : List.of());

        assertRefused(
                () -> grants.grant(login, names, BY_ANN),
                ErrorCode.INVALID_INPUT,
                "%s: '%s' is not allowed; %s".formatted(subject, name, why));
        assertThat(grants.list()).isEmpty();
        assertThat(strings(ACTS)).isEmpty();
    }

    @Test
    void refusesLoginsThatCannotBe() {
        assertRefused(
                () -> grants.grant("no_such_role", kinds("a"), BY_ANN),
                ErrorCode.NOT_FOUND,
                "login: there is no role 'no_such_role'");
        assertRefused(
                () -> grants.grant("Dot_Executor", kinds("a"), BY_ANN),
                ErrorCode.NOT_FOUND,
                "login: there is no role 'Dot_Executor'; there is 'dot_executor'");
        assertRefused(
                () -> grants.grant("dot_executor", kinds("a"), BY_ANN),
                ErrorCode.INVALID_INPUT,
                "login: 'dot_executor' is not allowed; allowed is a role that can log in");
        assertRefused(
                () -> grants.grant(login, GrantNames.none(), BY_ANN),
                ErrorCode.INVALID_INPUT,
                "grant: nothing is named; allowed are kinds, executors and domains");
        assertRefused(
                () -> grants.revoke(login, GrantNames.none(), BY_ANN),
                ErrorCode.INVALID_INPUT,
                "revoke: allowed are kinds, executors and domains, at least one, or all of them");
        assertRefused(
                () -> grants.revoke("no_such_role", kinds("a"), BY_ANN),
                ErrorCode.NOT_FOUND,
                "login: there is no role 'no_such_role'");
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_executor_grant(?, ' ', 'ann', ARRAY['a'])", login))
                .hasMessageContaining("reason: '' is not allowed");
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_executor_grant(NULL, 'x', 'ann', ARRAY['a'])"))
                .hasMessageContaining("login: there is no role ''");
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_executor_grant(?, 'x', 'ann', ARRAY[NULL])", login))
                .hasMessageContaining("kind: '' is not allowed");
    }

    /** A name with capitals, blanks and quotation marks is what the catalog says, in a message as well. */
    @OnEveryServer
    void aLoginMayBearAnyName() {
        String odd = logins.executor(" Odd \"Mail\" it's");
        try (Sql session = logins.connect(odd)) {
            assertThatThrownBy(() -> session.run(BEAT)).hasMessageContaining("login: '%s' is not".formatted(odd));
            grants.grant(odd, executors("mail-1"), BY_ANN);
            session.run(BEAT);
        }
        assertThat(grants.list(odd))
                .singleElement()
                .satisfies(grant -> assertThat(grant.login()).isEqualTo(odd));
        assertThat(grants.revokeAll(odd, BY_ANN)).isOne();
    }

    @Test
    void aGrantFollowsALoginThatIsRenamed() {
        grants.grant(login, executors("mail-1"), BY_ANN);
        String renamed = login + "_renamed";
        logins.rename(login, renamed);
        String heir = logins.executor("_mail");

        try (Sql session = logins.connect(renamed)) {
            session.run(BEAT);
        }
        try (Sql session = logins.connect(heir)) {
            assertThatThrownBy(() -> session.run(BEAT))
                    .as("who bears the old name now has nothing")
                    .hasMessageContaining("(OR004)");
        }
    }

    @Test
    void aGrantEndsWithItsLogin() {
        grants.grant(login, executors("mail-1"), BY_ANN);
        String oid = database.value(String.class, "SELECT oid::text FROM pg_roles WHERE rolname = ?", login);
        logins.drop(login);
        assertThat(grants.list())
                .extracting(ExecutorGrant::login, ExecutorGrant::state)
                .containsExactly(tuple(oid, "dropped"));

        logins.executor("_mail");
        try (Sql session = logins.connect(login)) {
            assertThatThrownBy(() -> session.run(BEAT)).hasMessageContaining("(OR004)");
        }
        grants.grant(login, kinds("mail.send"), BY_ANN);

        assertThat(grants.list()).extracting(ExecutorGrant::name).containsExactly("mail.send");
        assertThat(strings(ACTS))
                .contains(
                        "executor_revoke login %s fn_executor_grants_forget the login was dropped [\"executor mail-1\"] true"
                                .formatted(oid));
    }

    @Test
    void aStarAtTheEndStandsForAllThatBeginSo() {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailbox', 'Agent')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mail%', 'Agent')");
        grants.grant(login, executors("mail-*"), BY_ANN);
        try (Sql session = logins.connect(login)) {
            session.run(BEAT);
            for (String other : List.of("mailbox", "mail%", "Mail-1", "mail")) {
                assertThatThrownBy(() ->
                                session.run("SELECT oneroof.fn_queue_heartbeat_tick('%s', 'Agent')".formatted(other)))
                        .hasMessageContaining("is not granted executor '%s'; granted is 'mail-*'".formatted(other));
            }
            grants.revokeAll(login, BY_ANN);
            assertThatThrownBy(() -> session.run(BEAT)).hasMessageContaining("nothing is granted");
            grants.grant(login, executors("*"), BY_ANN);
            session.run(BEAT);
        }
    }

    @Test
    void aMessageNamesTenGrantsAtMost() {
        grants.grant(
                login,
                new GrantNames(
                        List.of(),
                        IntStream.range(10, 30).mapToObj(n -> "agent-" + n).toList(),
                        List.of()),
                BY_ANN);
        try (Sql session = logins.connect(login)) {
            assertThatThrownBy(() -> session.run(BEAT))
                    .hasMessageContaining("granted are 'agent-10', ")
                    .hasMessageContaining("'agent-19', more");
        }
    }

    @Test
    void tenThousandGrantsAreLookedUpByTheirKey() {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('kind.' || n) FROM generate_series(1, 200) n");
        database.run("SELECT oneroof.fn_job_enqueue('kind.' || n) FROM generate_series(1, 200) n");
        database.run(
                "SELECT oneroof.fn_executor_grant(?, 'x', 'ann', array_agg('kind.' || n), ARRAY['mail-1'])"
                        + " FROM generate_series(1, 10000) n",
                login);

        try (Sql session = logins.connect(login)) {
            assertThat(
                            session.value(
                                    Long.class,
                                    "SELECT count(*) FROM oneroof.fn_job_lease(ARRAY(SELECT 'kind.' || n FROM generate_series(1, 200) n), 1000, 'mail-1')"))
                    .isEqualTo(200);
            session.run("SELECT oneroof.fn_queue_heartbeat_tick('mail-1', 'Agent')");
        }
        database.endIdleSessions();
        Await.patiently()
                .until(
                        "the statistics of the session that has ended",
                        () -> database.value(
                                        Long.class,
                                        "SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'queue_executor_grant'")
                                >= 200);
        assertThat(database.value(
                        Long.class, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'queue_executor_grant'"))
                .as("no look at all of them but that of what was dropped")
                .isLessThanOrEqualTo(1);
        assertThat(grants.list(login)).hasSize(10001);
    }

    private static GrantNames kinds(String... kinds) {
        return new GrantNames(List.of(kinds), List.of(), List.of());
    }

    private static GrantNames executors(String... executors) {
        return new GrantNames(List.of(), List.of(executors), List.of());
    }

    private static void assertDenied(Sql sql, String statement) {
        assertThatThrownBy(() -> sql.run(statement)).as(statement).hasMessageContaining("42501");
    }

    private static void assertRefused(ThrowingCallable act, ErrorCode code, String says) {
        assertThatThrownBy(act)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(says);
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
