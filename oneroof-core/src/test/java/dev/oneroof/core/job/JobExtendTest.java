package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One job in two hands of the same process: a handler whose lease was taken back, and the one that has it now. */
@OneRoofTest
class JobExtendTest {
    private static final Duration FIVE = Duration.ofSeconds(5);
    private final JobLeaseStore store = new JobLeaseStore();
    private TestDatabase database;
    private Database db;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        db = new Database(database.dataSource(), SchemaName.DEFAULT);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
    }

    @Test
    void keepsTheOneThatIsHeldOnly() {
        LeasedJob old = leased();
        LeasedJob held = leasedAgain();

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT verdict FROM oneroof.fn_job_extend(ARRAY['%1$s', '%1$s']::uuid[], ARRAY['%2$s', '%3$s']::uuid[])"
                                .formatted(old.id(), old.token(), held.token())))
                .containsExactlyInAnyOrder("lost", "held");
    }

    @Test
    void tellsTheOneFromTheOther() {
        LeasedJob old = leased();
        LeasedJob held = leasedAgain();

        for (List<LeasedJob> both : List.of(List.of(old, held), List.of(held, old))) {
            Map<LeasedJob.Key, JobLeaseStore.Verdict> verdicts = db.inTx(tx -> store.extend(tx, both));
            assertThat(verdicts)
                    .isEqualTo(
                            Map.of(old.lease(), JobLeaseStore.Verdict.LOST, held.lease(), JobLeaseStore.Verdict.HELD));
        }
    }

    @Test
    void keepsALeaseForAsLongAsItWasGiven() {
        LeasedJob held = leased();

        db.useTx(tx -> store.extend(tx, List.of(held)));

        assertThat(
                        database.value(
                                Boolean.class,
                                "SELECT lease_until - now() BETWEEN interval '50 s' AND interval '60 s' FROM oneroof.job_queue"))
                .isTrue();
    }

    private LeasedJob leasedAgain() {
        database.run("UPDATE oneroof.job_queue SET lease_until = now() - interval '1 s'");
        database.run("SELECT oneroof.fn_job_lease_reaper()");
        database.run("UPDATE oneroof.job_queue SET scheduled_at = now(), order_at = now()");
        return leased();
    }

    private LeasedJob leased() {
        return db.inTx(tx -> store.lease(tx, Map.of("mark_file", 1), 1, "me", Map.of(), UUID.randomUUID(), FIVE, FIVE))
                .getFirst();
    }
}
