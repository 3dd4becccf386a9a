package dev.oneroof.app.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.config.ConfigFlags;
import dev.oneroof.app.config.ConfigLoader;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.doctor.Doctor;
import dev.oneroof.core.feature.CheckResult;
import dev.oneroof.core.feature.DoctorCheck;
import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.feature.Seeds;
import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingStore;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.job.JobDraft;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A feature that core has never heard of: a worker with two gates, a job kind, a finding type, a doctor check. */
@OneRoofTest
class FeatureInHostTest {
    private static final String SEED = """
            INSERT INTO oneroof.dot_config (key, kind, value, description, actor, reason)
            VALUES ('trial.one', 'gate', 'false', 'a trial', 'install', 'default'),
                   ('trial.two', 'gate', 'false', 'a trial', 'install', 'default')
            """;

    @Test
    void runsWithNoChangeToCore(TestDatabase database) {
        AppConfig config = config(database);
        Trial trial = new Trial();
        try (OpenDatabase open = OpenDatabase.open(config, Access.LOOK)) {
            try (Host host = Host.open(config, open, "a", List.of(trial))) {
                assertThatThrownBy(() -> host.runtime().start())
                        .hasMessageContaining("feature: 'trial'")
                        .hasMessageContaining("gate trial.one")
                        .hasMessageContaining("finding type trial_broken");
            }
            database.run(SEED);
            database.run(
                    "INSERT INTO oneroof.system_issue_type VALUES ('trial_broken', 'x', 'y', 'low', NULL, NULL, 'a trial')");
            try (Host host = Host.open(config, open, "a", List.of(trial))) {
                host.runtime().start();
                GateStore gates = new GateStore();
                host.database().useTx(tx -> gates.open(tx, "trial.one", "test", "x"));
                Await.patiently()
                        .until(
                                "held by the second gate",
                                () -> database.value(
                                                String.class,
                                                "SELECT coalesce(max(last_beat_payload ->> 'reason'), '') FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'trial/%'")
                                        .contains("trial.two"));
                assertThat(trial.passes.get()).isZero();

                host.database().useTx(tx -> gates.open(tx, "trial.two", "test", "x"));
                Await.patiently().until("a pass", () -> trial.passes.get() > 0);
                Await.patiently()
                        .until(
                                "a finding",
                                () -> database.value(
                                                Long.class,
                                                "SELECT count(*) FROM oneroof.system_issues WHERE issue_type = 'trial_broken'")
                                        == 1);

                host.database().useTx(tx -> gates.open(tx, "queue.jobs.enabled", "test", "x"));
                host.runtime().jobs().enqueue(NewJob.of("trial_job", new Payload("{}")));
                Await.patiently().until("a job", () -> trial.jobs.get() == 1);
            }
            assertThat(new Doctor(config, open.address(), List.of(trial)).examine())
                    .contains(CheckResult.warn("trial", "it is a trial", "end it"));
        }
    }

    private static AppConfig config(TestDatabase database) {
        String url = "postgres://%s@%s:%d/%s"
                .formatted(
                        database.address().user(),
                        database.address().host(),
                        database.address().port(),
                        database.name());
        return new ConfigLoader(
                        Map.of(
                                "ONEROOF_DB_URL",
                                url,
                                "ONEROOF_DB_PASSWORD",
                                database.address().password()),
                        ConfigFlags.NONE)
                .load();
    }

    private static final class Trial implements Feature {
        private final AtomicInteger passes = new AtomicInteger();
        private final AtomicInteger jobs = new AtomicInteger();

        @Override
        public String name() {
            return "trial";
        }

        @Override
        public Seeds seeds() {
            return new Seeds(Set.of("trial.one", "trial.two"), Set.of("trial_broken"), Set.of());
        }

        @Override
        public List<Worker> workers(FeatureContext context) {
            return List.of(new Raising(context.database(), passes));
        }

        @Override
        public List<JobHandlerSpec> jobs(FeatureContext context) {
            return List.of(new JobDraft<>(JobKind.named("trial_job"), Function.<JobHandlerSpec>identity()).each(job -> {
                jobs.incrementAndGet();
                return Outcome.done();
            }));
        }

        @Override
        public List<DoctorCheck> checks() {
            return List.of(db -> List.of(CheckResult.warn("trial", "it is a trial", "end it")));
        }
    }

    private record Raising(Database db, AtomicInteger passes) implements Worker {
        @Override
        public WorkerSpec spec() {
            return WorkerSpec.of(Scope.of("trial", "nothing")).gatedBy(Set.of("trial.one", "trial.two"));
        }

        @Override
        public void prepare() {
            // Nothing to prepare.
        }

        @Override
        public Pass runOnce(Lease lease) {
            db.useTx(tx -> new FindingStore()
                    .raise(tx, new Finding(new FindingType("trial_broken"), "trial", "a trial", Map.of())));
            passes.incrementAndGet();
            return new Pass.Idle(Duration.ofMinutes(1));
        }
    }
}
