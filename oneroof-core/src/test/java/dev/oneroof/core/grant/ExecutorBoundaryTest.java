package dev.oneroof.core.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a login with nothing but {@code dot_executor} may do: what was granted to it, and nothing of others. */
@OneRoofTest
class ExecutorBoundaryTest {
    private static final String LEASE =
            "SELECT payload ->> 'ref' FROM oneroof.fn_job_lease(ARRAY['mail.send'], 10, 'mail-1')";
    private static final String BEAT = "SELECT oneroof.fn_queue_heartbeat_tick('mail-1', 'Agent')";
    private static final String EMIT =
            "SELECT oneroof.fn_iu_emit_event('shop', 'parcel.shipped', 'parcel', '7', 'clerk', 'erp')";

    private TestDatabase database;
    private Logins logins;
    private String login;
    private Sql executor;

    @BeforeEach
    void twoTeamsHaveJobs(TestDatabase given) {
        database = given;
        logins = new Logins(database);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        for (String kind : List.of("mail.send", "payroll.pay")) {
            database.run("SELECT oneroof.fn_job_kind_register(?)", kind);
            database.run("SELECT oneroof.fn_job_enqueue(?, '{\"ref\": \"secret of %s\"}')".formatted(kind), kind);
        }
        for (String name : List.of("mail-1", "payroll-1")) {
            database.run("SELECT oneroof.fn_queue_heartbeat_register(?, 'Agent')", name);
        }
        for (String domain : List.of("shop", "payroll")) {
            database.run(
                    "SELECT oneroof.fn_event_type_register(?, 'parcel.shipped', 's', 'normal', 'info', '', 'ann')",
                    domain);
            database.run("SELECT oneroof.fn_event_type_activate(?, 'parcel.shipped', 'ann', 'test')", domain);
        }
        login = logins.executor("_mail");
        executor = logins.connect(login);
    }

    @AfterEach
    void dropLogins() {
        executor.close();
        logins.close();
    }

    @OnEveryServer
    void anExecutorLeasesOnlyKindsGrantedToItsLogin() {
        assertThatThrownBy(() -> executor.list(row -> row.getString(1), LEASE))
                .hasMessageContaining(
                        "login: '%s' is not granted kind 'mail.send'; nothing is granted".formatted(login))
                .hasMessageContaining("(OR004)");

        grant("p_kinds => ARRAY['mail.send'], p_executors => ARRAY['mail-1']");

        assertThat(strings(executor, LEASE)).containsExactly("secret of mail.send");
        assertNotGranted(
                "SELECT payload FROM oneroof.fn_job_lease(ARRAY['payroll.pay'], 10, 'mail-1')",
                "is not granted kind 'payroll.pay'; granted is 'mail.send'");
        assertNotGranted(
                "SELECT payload FROM oneroof.fn_job_lease(ARRAY['mail.send', 'payroll.pay'], 10, 'mail-1')",
                "kind 'payroll.pay'");
        assertNotGranted(
                "SELECT payload FROM oneroof.fn_job_lease(ARRAY['mail.send', NULL], 10, 'mail-1')", "kind NULL");
        assertThat(strings("SELECT state FROM oneroof.job_queue WHERE job_kind = 'payroll.pay'"))
                .containsExactly("queued");
    }

    @Test
    void anExecutorSeesNoPayloadOfAnotherTeamByRollingBack() {
        executor.run("BEGIN");
        assertNotGranted("SELECT payload FROM oneroof.fn_job_lease(ARRAY['payroll.pay'], 10, 'mail-1')", "payroll.pay");
        executor.run("ROLLBACK");
    }

    @Test
    void anExecutorLeasesOnlyUnderNamesGrantedToItsLogin() {
        String forged = "SELECT payload FROM oneroof.fn_job_lease(ARRAY['mail.send'], 10, 'payroll-1')";
        assertNotGranted(forged, "is not granted");

        grant("p_kinds => ARRAY['mail.send'], p_executors => ARRAY['mail-1']");

        assertNotGranted(forged, "is not granted executor 'payroll-1'; granted is 'mail-1'");
    }

    /** Token or not: what another team has leased is not an executor's to end, to keep or to comment. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fn_job_complete(%s, %s)",
                "fn_job_complete_many(ARRAY[%s], ARRAY[%s])",
                "fn_job_fail(%s, %s, 'X', 'forged', NULL, true)",
                "fn_job_extend(ARRAY[%s], ARRAY[%s])",
                "fn_job_snooze(%s, %s, 600)",
                "fn_job_hand_back(ARRAY[%s], ARRAY[%s])",
                "fn_job_give_up(%s, %s, 'forged')",
                "fn_job_say(%s, %s, 'forged')"
            })
    void anExecutorEndsOnlyJobsOfKindsGrantedToItsLogin(String call) {
        String token = leaseAsServer("payroll.pay", "payroll-1");
        String statement = "SELECT oneroof." + call.formatted(jobOf("payroll.pay"), "'%s'::uuid".formatted(token));

        assertNotGranted(statement, "is not granted kind 'payroll.pay'");
        assertThat(strings("SELECT state || ' ' || attempts FROM oneroof.job_queue WHERE lease_token IS NOT NULL"))
                .containsExactly("leased 0");
        assertThat(strings("SELECT line FROM oneroof.job_log")).isEmpty();

        grant("p_kinds => ARRAY['payroll.pay'], p_executors => ARRAY['mail-1']");
        assertNotGranted(statement, "is not granted executor 'payroll-1'; granted is 'mail-1'");

        grant("p_executors => ARRAY['payroll-1']");
        executor.run(statement);
    }

    @Test
    void anExecutorHandsBackOnlyKindsGrantedToItsLogin() {
        String token = leaseAsServer("payroll.pay", "payroll-1");
        assertNotGranted(
                "SELECT oneroof.fn_job_hand_back_leased(ARRAY['payroll.pay'], ARRAY['%s']::uuid[])".formatted(token),
                "is not granted kind 'payroll.pay'");
    }

    @Test
    void anExecutorIsNotToldWhichJobsOfOthersAreToBeCancelled() {
        leaseAsServer("payroll.pay", "payroll-1");
        database.run("SELECT oneroof.fn_job_cancel(job_id, 'x', 'ann') FROM oneroof.job_queue WHERE state = 'leased'");
        String asked = "SELECT j::text FROM oneroof.fn_job_cancel_wanted(ARRAY[%s]) j".formatted(jobOf("payroll.pay"));

        assertThat(strings(executor, asked)).isEmpty();
        assertThat(strings(asked)).hasSize(1);
        grant("p_kinds => ARRAY['payroll.pay'], p_executors => ARRAY['payroll-1']");
        assertThat(strings(executor, asked)).hasSize(1);
    }

    /** Anyone may have expired leases taken back, whosever they are. What is recorded of it is not theirs to word. */
    @Test
    void aLeaseIsTakenBackInTheNameOfTheLogin() {
        leaseAsServer("payroll.pay", "payroll-1");
        database.run(
                "UPDATE oneroof.job_queue SET leased_at = now() - interval '2 h', lease_until = now() - interval '1 h'"
                        + " WHERE state = 'leased'");

        executor.run("SELECT oneroof.fn_job_lease_reaper(10, 'the server')");

        assertThat(strings("SELECT last_error FROM oneroof.job_queue WHERE job_kind = 'payroll.pay'"))
                .containsExactly(
                        "lease_expired: the lease of 'payroll-1' ran out; taken back by '%s'".formatted(login));
    }

    @Test
    void anExecutorBeatsOnlyForExecutorsGrantedToItsLogin() {
        assertNotGranted(BEAT, "is not granted executor 'mail-1'; nothing is granted");
        assertNotGranted("SELECT oneroof.fn_queue_heartbeat_write('mail-1')", "executor 'mail-1'");

        grant("p_executors => ARRAY['mail-1']");

        executor.run(BEAT);
        executor.run("SELECT oneroof.fn_queue_heartbeat_write('mail-1')");
        assertNotGranted("SELECT oneroof.fn_queue_heartbeat_tick('payroll-1', 'Agent')", "executor 'payroll-1'");
        assertNotGranted("SELECT oneroof.fn_queue_heartbeat_tick('no such one', 'Agent')", "executor 'no such one'");
        assertNotGranted("SELECT oneroof.fn_queue_heartbeat_write(NULL)", "executor NULL");
    }

    @Test
    void anExecutorEmitsOnlyDomainsGrantedToItsLogin() {
        assertNotGranted(EMIT, "is not granted domain 'shop'; nothing is granted");

        grant("p_domains => ARRAY['shop']");

        executor.run(EMIT);
        assertNotGranted(EMIT.replace("shop", "payroll"), "is not granted domain 'payroll'; granted is 'shop'");
        String both = """
                SELECT oneroof.fn_iu_emit_events(jsonb_agg(jsonb_build_object(
                    'event_domain', d, 'event_type', 'parcel.shipped', 'event_subject_table', 't',
                    'event_subject_ref', 'r', 'actor_ref', 'a', 'source_system', 's')))
                FROM unnest(ARRAY['shop', 'payroll']) d
                """;
        assertNotGranted(both, "domain 'payroll'");
        assertThat(strings("SELECT event_domain FROM oneroof.event_outbox")).containsExactly("shop");
        for (String odd : List.of("{}", "[5]", "[{}]", "[[]]", "null")) {
            assertThatThrownBy(() -> executor.run("SELECT oneroof.fn_iu_emit_events('%s')".formatted(odd)))
                    .as(odd)
                    .hasMessageMatching("(?s).*\\((22023|OR004)\\).*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"system", "governance"})
    void internalDomainsAreNeverAnExecutors(String domain) {
        String forged = "SELECT oneroof.fn_iu_emit_event('%s', 'queue_worker_silent', 't', 'r', 'a', 'oneroof')"
                .formatted(domain);
        database.run(
                "SELECT oneroof.fn_event_type_register(?, 'queue_worker_silent', 's', 'normal', 'info', '', 'ann')",
                domain);
        database.run("SELECT oneroof.fn_event_type_activate(?, 'queue_worker_silent', 'ann', 'test')", domain);
        assertThatThrownBy(() -> executor.run(forged)).hasMessageContaining("(OR004)");

        assertThatThrownBy(() -> grant("p_domains => ARRAY['shop', '%s']".formatted(domain)))
                .hasMessageContaining("domain: '%s' is not allowed".formatted(domain));
        grant("p_domains => ARRAY['*']");

        assertNotGranted(forged, "may not emit domain '%s': it is internal".formatted(domain));
        executor.run(EMIT);
    }

    /** Anyone may have the silent looked for; the event of it is OneRoof's own. */
    @Test
    void aCheckForSilenceTellsOfItWhoeverCallsIt() {
        database.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '1 day'");

        assertThat(strings(executor, "SELECT oneroof.fn_queue_stale_check() ->> 'reported'"))
                .containsExactly("2");
        assertThat(strings("SELECT DISTINCT event_type FROM oneroof.event_outbox"))
                .containsExactly("queue_worker_silent");
    }

    @OnEveryServer
    void membersOfTheServersAndTheAdminsRolesAreExempt() {
        for (String role : List.of("oneroof_server", "workflow_admin", "oneroof_owner")) {
            for (String inherits : List.of("INHERIT", "NOINHERIT")) {
                String name = logins.create("_" + role + inherits, inherits + " IN ROLE dot_executor, " + role);
                try (Sql member = logins.connect(name)) {
                    for (String acting : List.of(role, "dot_executor")) {
                        member.run("SET ROLE " + acting);
                        member.run("BEGIN");
                        member.run(EMIT);
                        if (!role.equals("workflow_admin") || acting.equals("dot_executor")) {
                            assertThat(strings(member, LEASE)).as(name).hasSize(1);
                        }
                        member.run("ROLLBACK");
                    }
                }
            }
        }
    }

    /** From PostgreSQL 16 on there are memberships that bring no right at all. */
    @Test
    void aMembershipThatBringsNoRightExemptsNobody() {
        database.run("GRANT oneroof_server TO %s WITH INHERIT FALSE, SET FALSE".formatted(Sql.identifier(login)));

        assertNotGranted(LEASE, "kind 'mail.send'");
    }

    @OnEveryServer
    void aLoginThatIsOnlyAnExecutorIsBoundedWhateverRoleItTakes() {
        executor.run("SET ROLE dot_executor");
        assertNotGranted(LEASE, "kind 'mail.send'");
        assertNotGranted(BEAT, "executor 'mail-1'");
        assertNotGranted(EMIT, "domain 'shop'");
    }

    /** The login counts, and not the owner of a function on its way: or a second login would open everything to the first. */
    @Test
    void aFunctionWithAnExecutorsRightsOpensNothing() {
        database.run("CREATE SCHEMA AUTHORIZATION " + Sql.identifier(login));
        executor.run("CREATE FUNCTION steal() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ %s $$".formatted(LEASE));
        grant("p_kinds => ARRAY['mail.send'], p_executors => ARRAY['mail-1']");
        String other = logins.create("_other", "");
        executor.run("GRANT USAGE ON SCHEMA %s TO %s".formatted(Sql.identifier(login), Sql.identifier(other)));
        executor.run("GRANT EXECUTE ON FUNCTION steal() TO " + Sql.identifier(other));

        try (Sql session = logins.connect(other)) {
            assertThatThrownBy(() -> session.run("SELECT %s.steal()".formatted(Sql.identifier(login))))
                    .hasMessageContaining("login: '%s' is not granted kind 'mail.send'".formatted(other));
        }
        assertThat(strings(executor, "SELECT steal()")).containsExactly("secret of mail.send");
    }

    private void grant(String what) {
        database.run("SELECT oneroof.fn_executor_grant('%s', 'test', 'ann', %s)".formatted(login, what));
    }

    private void assertNotGranted(String statement, String says) {
        assertThatThrownBy(() -> executor.run(statement))
                .as(statement)
                .hasMessageContaining("login: '%s' ".formatted(login))
                .hasMessageContaining(says)
                .hasMessageContaining("(OR004)");
    }

    private String leaseAsServer(String kind, String owner) {
        return database.value(
                String.class,
                "SELECT lease_token::text FROM oneroof.fn_job_lease(ARRAY[?]::text[], 1, ?)",
                kind,
                owner);
    }

    private String jobOf(String kind) {
        return database.value(
                String.class, "SELECT format('%L::uuid', job_id) FROM oneroof.job_queue WHERE job_kind = ?", kind);
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }

    private static List<String> strings(Sql sql, String query) {
        return sql.list(row -> row.getString(1), query);
    }
}
