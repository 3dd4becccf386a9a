package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes come, are drained, and go without a word. */
@OneRoofTest
class InstancesTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "an update");
    private static final LoopConfig QUICK = new LoopConfig(
            Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofSeconds(1));

    @Test
    void giveBackAllTheyHoldWhenDrained(TestDatabase database, Given given) {
        given.births(5);
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));
        try (OneRoof one = reading(database, "one")) {
            Await.patiently().until("one to hold it", () -> holds(instances, "one") > 0);
            try (OneRoof two = reading(database, "two")) {
                Await.patiently()
                        .until("two to be there", () -> instances.list().size() == 2);

                instances.drain("one", ANN);

                Await.patiently()
                        .until("two to hold all", () -> holds(instances, "one") == 0 && holds(instances, "two") == 2);
                // Nothing is kept free for one that takes nothing.
                assertThat(Await.upTo(QUICK.leaseTime().multipliedBy(2)).holds(() -> holds(instances, "two") < 2))
                        .isFalse();
                assertThat(instance(instances, "one").state()).isEqualTo("held");
                assertThat(instance(instances, "one").reason()).isEqualTo("drained by ann: an update");
                instances.undoDrain("one", ANN);
                instances.drain("two", ANN);
                Await.patiently()
                        .until("one to hold all", () -> holds(instances, "one") == 2 && holds(instances, "two") == 0);
            }
            Await.patiently().until("two to be gone", () -> instances.list().size() == 1);
        }
        assertThat(instances.list()).isEmpty();
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT act || ' ' || target FROM oneroof.operator_act ORDER BY act_id"))
                .contains("instance_drain one", "instance_drain_undo one", "instance_drain two");
    }

    /** Drained and forgotten: that is just what somebody has to tell of. */
    @Test
    void keepTheCheckForSilenceWhenDrainedAlone(TestDatabase database, Given given) {
        given.births(5);
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));
        database.run("UPDATE oneroof.dot_config SET value = '4' WHERE key = 'queue.heartbeat.stale_threshold_seconds'");
        try (OneRoof one = reading(database, "one")) {
            Await.patiently().until("one to hold both", () -> holds(instances, "one") == 2);

            instances.drain("one", ANN);

            Await.patiently().until("its worker to be given back", () -> holds(instances, "one") == 1);
            Await.patiently()
                    .until(
                            "the silence to be told",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.system_issues WHERE issue_type = 'cursor_silent_gap'"
                                                    + " AND coalesce_key = 'reader/births/0' AND status = 'open'")
                                    == 1);
            instances.undoDrain("one", ANN);
            Await.patiently().until("one to hold both again", () -> holds(instances, "one") == 2);
        }
    }

    @Test
    void areNotDrainedForTheOneOfTheirNameBefore(TestDatabase database, Given given) {
        given.births(5);
        database.run("INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch, metadata) VALUES"
                + " ('instance/one', 'PG_worker', 5, 30, 'x', 'one', now() + interval '1 s', nextval('oneroof.lease_epoch_seq'),"
                + " '{\"drain\": \"drained by ann: an update\"}')");
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));
        try (OneRoof one = reading(database, "one")) {
            Await.patiently().until("it to hold all", () -> holds(instances, "one") == 2);
            assertThat(instance(instances, "one").drain()).isNull();
        }
    }

    @Test
    void refuseToDrainWhoIsNotThere(TestDatabase database) {
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));

        assertThatThrownBy(() -> instances.drain("nobody", ANN)).hasMessageContaining("no 'nobody' is running");
        assertThatThrownBy(() -> instances.undoDrain("nobody", ANN)).hasMessageContaining("no 'nobody' is running");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act WHERE act LIKE 'instance%'"))
                .isZero();
    }

    @Test
    void areForgottenAWhileAfterTheyWentWithoutAWord(TestDatabase database) {
        for (String name : List.of("fresh", "old", "old-and-needed")) {
            database.run("INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                    + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch) VALUES"
                    + " ('instance/%1$s', 'PG_worker', 5, 30, 'x', '%1$s', now() - interval '%2$s', nextval('oneroof.lease_epoch_seq'))"
                            .formatted(name, name.startsWith("old") ? "16 minutes" : "14 minutes"));
        }
        database.run(
                "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                        + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch) VALUES"
                        + " ('w/s/0', 'PG_worker', 5, 30, 'x', 'old-and-needed', now() - interval '16 minutes', nextval('oneroof.lease_epoch_seq'))");

        database.run("SELECT oneroof.fn_queue_stale_check()");

        assertThat(new Instances(new Database(database.dataSource(), SchemaName.DEFAULT))
                        .list().stream().map(Instances.Instance::name))
                .containsExactly("fresh", "old-and-needed");
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT executor_name FROM oneroof.queue_event_log WHERE transition = 'deregistered'"))
                .containsExactly("instance/old");
    }

    /** A worker on a source that bears the name of the process: it is told of until somebody takes it. */
    @Test
    void takeNoWorkerWithThemOnASourceOfTheirName(TestDatabase database) {
        List.of("instance/orders", "jobs/orders/0", "mailer/orders/0")
                .forEach(name -> insert(database, name, "orders", "16 minutes"));
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));

        database.run("SELECT oneroof.fn_queue_stale_check()");
        assertThat(executors(database)).containsExactly("instance/orders", "jobs/orders/0", "mailer/orders/0");

        instances.forget("orders", ANN);
        assertThat(executors(database)).containsExactly("mailer/orders/0");
    }

    @Test
    void areForgottenWithJobsThatTheyLeftBehindInGoodOrder(TestDatabase database) {
        insert(database, "jobs/gone/0", "gone", "16 minutes");
        insert(database, "jobs/alive/0", "alive", "16 minutes");
        insert(database, "instance/alive", "alive", "1 second");

        database.run("SELECT oneroof.fn_queue_stale_check()");

        assertThat(executors(database)).containsExactly("instance/alive", "jobs/alive/0");
    }

    /** Ended between making the scope of its jobs and taking it. */
    @Test
    void areForgottenWithJobsThatTheyNeverTook(TestDatabase database) {
        for (String name : List.of("ended", "begins", "alive")) {
            database.run(
                    "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                            + " stale_threshold_seconds, registered_by, last_tick_at) VALUES"
                            + " ('jobs/' || ? || '/0', 'PG_worker', 5, 30, ?, now() - ?::interval)",
                    name,
                    name,
                    name.equals("begins") ? "1 second" : "1 minute");
        }
        insert(database, "instance/alive", "alive", "-1 minute");

        database.run("SELECT oneroof.fn_queue_stale_check()");

        assertThat(executors(database)).containsExactly("instance/alive", "jobs/alive/0", "jobs/begins/0");
    }

    /** Frozen in the middle of a transaction: whoever waited for it would keep everybody from looking. */
    @Test
    void areNotWaitedForByTheCheck(TestDatabase database) {
        insert(database, "instance/frozen", "frozen", "16 minutes");
        insert(database, "jobs/frozen/0", "frozen", "16 minutes");
        try (Sql frozen = database.sql()) {
            frozen.run("BEGIN");
            frozen.run("UPDATE oneroof.queue_heartbeat SET updated_at = now() WHERE executor_name = 'jobs/frozen/0'");
            assertThat(database.value(Boolean.class, "SELECT oneroof.fn_queue_stale_check() ->> 'inert' = 'false'"))
                    .isTrue();
            assertThat(executors(database)).containsExactly("jobs/frozen/0");
            frozen.run("COMMIT");
        }
        database.run("SELECT oneroof.fn_queue_stale_check()");
        assertThat(executors(database)).isEmpty();
    }

    private static void insert(TestDatabase database, String executor, String owner, String overSince) {
        database.run(
                "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                        + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch) VALUES"
                        + " (?, 'PG_worker', 5, 30, 'x', ?, now() - ?::interval, nextval('oneroof.lease_epoch_seq'))",
                executor,
                owner,
                overSince);
    }

    private static List<String> executors(TestDatabase database) {
        return database.list(
                row -> row.getString(1), "SELECT executor_name FROM oneroof.queue_heartbeat ORDER BY executor_name");
    }

    /** The scope of its jobs is nobody else's: it goes with it, by the check and by hand. */
    @Test
    void areForgottenTogetherWithWhatBearsTheirName(TestDatabase database) {
        for (String name : List.of("jobs/pod/a/0", "instance/pod/a", "jobs/pod/b/0", "instance/pod/b")) {
            database.run(
                    "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                            + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch) VALUES"
                            + " (?, 'PG_worker', 5, 30, 'x', ?, now() - interval '16 minutes', nextval('oneroof.lease_epoch_seq'))",
                    name,
                    name.contains("pod/a") ? "pod/a" : "pod/b");
        }
        new Instances(new Database(database.dataSource(), SchemaName.DEFAULT)).forget("pod/a", ANN);
        assertThat(database.list(
                        row -> row.getString(1), "SELECT executor_name FROM oneroof.queue_heartbeat ORDER BY 1"))
                .containsExactly("instance/pod/b", "jobs/pod/b/0");

        database.run("SELECT oneroof.fn_queue_stale_check()");

        assertThat(database.list(row -> row.getString(1), "SELECT executor_name FROM oneroof.queue_heartbeat"))
                .isEmpty();
    }

    @Test
    void leaveNoScopeOfTheirOwnBehindWhenDrained(TestDatabase database) {
        Instances instances = new Instances(new Database(database.dataSource(), SchemaName.DEFAULT));
        try (OneRoof one = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                OneRoof two = OneRoof.open(RuntimeConfig.named("two").withLoop(QUICK), database.dataSource())) {
            for (OneRoof oneroof : List.of(one, two)) {
                oneroof.work(JobKind.named("mark_file")).each(job -> Outcome.done());
                oneroof.start();
            }
            Await.patiently()
                    .until("both to do jobs", () -> isThere(database, "jobs/one/0") && isThere(database, "jobs/two/0"));

            instances.drain("one", ANN);
            Await.patiently().until("no scope of its own", () -> !isThere(database, "jobs/one/0"));
            assertThat(isThere(database, "jobs/two/0")).isTrue();

            instances.undoDrain("one", ANN);
            Await.patiently().until("it to take part again", () -> isThere(database, "jobs/one/0"));
        }
    }

    private static boolean isThere(TestDatabase database, String executor) {
        return database.value(
                Boolean.class,
                "SELECT EXISTS (SELECT FROM oneroof.queue_heartbeat WHERE executor_name = ? AND ticks_total > 0)",
                executor);
    }

    private static Instances.Instance instance(Instances instances, String name) {
        return instances.list().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static long holds(Instances instances, String name) {
        return instances.list().stream()
                .filter(one -> one.name().equals(name))
                .mapToLong(Instances.Instance::holds)
                .sum();
    }

    private static OneRoof reading(TestDatabase database, String name) {
        OneRoof oneroof = OneRoof.open(RuntimeConfig.named(name).withLoop(QUICK), database.dataSource());
        oneroof.register(TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(20)));
        oneroof.tail("reader", "births").eachRow((tx, row) -> {});
        return oneroof.start();
    }
}
