package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class JobsTest {
    private static final NewJob JOB = NewJob.of("mark_file", Payload.EMPTY);
    private static final OperatorAct ANN = new OperatorAct("ann", "a look");

    private static final String APART = """
            SELECT concat_ws(' ', scheduled_at - enqueued_at, state)
            FROM oneroof.job_queue
            WHERE idempotency_key LIKE 'in %'
            ORDER BY scheduled_at
            """;

    private final AtomicInteger woken = new AtomicInteger();
    private TestDatabase database;
    private Jobs jobs;

    @BeforeEach
    void knowsAKind(TestDatabase given) {
        database = given;
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        jobs = new Jobs(
                new Database(database.dataSource(), SchemaName.DEFAULT), kinds -> false, woken::incrementAndGet);
    }

    @Test
    void countsDelaysByTheClockOfTheDatabase() {
        Instant noon = Instant.parse("2040-01-01T12:00:00Z");
        jobs.enqueueAll(List.of(
                JOB.once("in 1h").in(Duration.ofHours(1)),
                JOB.once("at noon").notBefore(noon),
                JOB.once("now"),
                JOB.once("in 0").in(Duration.ZERO),
                JOB.once("in 1 us").in(Duration.ofNanos(1000))));

        assertThat(database.list(row -> row.getString(1), APART))
                .containsExactly("00:00:00 queued", "00:00:00.000001 scheduled", "01:00:00 scheduled");
        assertThat(database.value(Boolean.class, """
                        SELECT scheduled_at = '2040-01-01 12:00:00+00'
                        FROM oneroof.job_queue
                        WHERE idempotency_key = 'at noon'
                        """)).isTrue();
    }

    /** No other process was woken for jobs that this one was to start, so it leases also if the answer got lost. */
    @Test
    void hasThisProcessLookWhateverBecameOfAnEnqueue() {
        jobs.enqueue(JOB);
        assertThat(woken).hasValue(1);

        assertThatThrownBy(() -> jobs.enqueueAll(List.of(JOB, NewJob.of("no_such_kind", Payload.EMPTY))))
                .hasMessageContaining("no_such_kind");
        assertThat(woken).hasValue(2);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .as("all or none")
                .isEqualTo(1);
    }

    @Test
    void countsDelaysInTheTransactionOfTheCaller() throws Exception {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            jobs.enqueue(connection, JOB.once("in 1d").in(Duration.ofDays(1)));
            connection.commit();
        }

        assertThat(database.list(row -> row.getString(1), APART)).containsExactly("1 day scheduled");
    }

    @Test
    void pausesAKindAndLooksForItsJobsWhenItIsResumed() {
        assertThat(jobs.pauseKind("mark_file", ANN)).isTrue();
        assertThat(jobs.pauseKind("mark_file", ANN)).isFalse();
        assertThat(woken).hasValue(0);

        assertThat(jobs.resumeKind("mark_file", ANN)).isTrue();
        assertThat(woken).hasValue(1);
        assertThat(jobs.resumeKind("mark_file", ANN)).isFalse();
        assertThat(woken).hasValue(1);
        assertThat(
                        database.list(
                                row -> row.getString(1),
                                "SELECT concat_ws(' ', act, actor, reason) FROM oneroof.operator_act WHERE actor = 'ann' ORDER BY act_id"))
                .containsExactly("job_kind_pause ann a look", "job_kind_resume ann a look");
    }

    @Test
    void refusesToPauseAKindThatNobodyKnows() {
        assertThatThrownBy(() -> jobs.pauseKind("nothing", ANN))
                .hasMessage("kind: 'nothing' is not registered; 'oneroof job kinds' has those that are")
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }
}
