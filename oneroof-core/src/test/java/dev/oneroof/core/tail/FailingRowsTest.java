package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A row that cannot be handled holds up no other, is tried again, and ends as a dead letter that everybody can see. */
@OneRoofTest
class FailingRowsTest {
    private static final TailConfig IMPATIENT = new TailConfig(
            3,
            Duration.ofMillis(10),
            Duration.ofMillis(50),
            2,
            Duration.ofMinutes(10),
            50_000,
            Duration.ofMillis(100),
            1_000_000);

    /** As impatient, but never giving up. */
    private static final TailConfig TIRELESS = new TailConfig(
            1_000_000,
            Duration.ofMillis(10),
            Duration.ofMillis(50),
            2,
            Duration.ofMinutes(10),
            50_000,
            Duration.ofMillis(100),
            1_000_000);

    /** Divides by zero for the rows in {@code poison}: the whole statement dies. */
    private static final BatchEffect POISONED = new SetEffect("1", """
            INSERT INTO public.seen (key)
            SELECT (order_id / CASE WHEN order_id IN (SELECT id FROM public.poison) THEN 0 ELSE 1 END)::text
            FROM page""", Map.of());

    @ParameterizedTest
    @EnumSource(Mode.class)
    void setsBadRowsAsideAndHandlesAllOthers(Mode mode, TestDatabase database, Given given) {
        given.births(300);
        TailFixture tailing = poisoned(database, mode, TailConfig.DEFAULT, 1, 17, 18, 300);
        Lease lease = tailing.claim("a");

        tailing.until(
                lease,
                () -> pending(database).size() == 4 && CopyKeys.seen(database).size() == 296);

        assertThat(CopyKeys.seen(database)).doesNotHaveDuplicates().doesNotContain("1", "17", "18", "300");
        assertThat(pending(database)).containsExactly("1 22012", "17 22012", "18 22012", "300 22012");
        assertThat(tailing.cursor().eventsSeen()).isEqualTo(300);
        assertThat(tailing.cursor().attemptsWritten()).isEqualTo(296);
    }

    @Test
    void triesAgainAndThenGivesUpVisibly(TestDatabase database, Given given) {
        given.births(10);
        TailFixture tailing = poisoned(database, Mode.PROMPT, IMPATIENT, 3, 4, 5);
        Lease lease = tailing.claim("a");

        tailing.until(lease, () -> tailing.cursor().deadLettered() == 3);

        assertThat(database.list(
                        row -> row.getInt(1),
                        "SELECT error_count FROM oneroof.event_pending WHERE dead_lettered_at IS NOT NULL"))
                .containsExactly(3, 3, 3);
        assertThat(findings(database)).containsExactly("cursor_dlq 3", "cursor_dlq_overflow 1");
        assertThat(new DeadLetters(tailing.db).list(null, 0, 10))
                .extracting(dead -> dead.key().id())
                .containsExactlyInAnyOrder("3", "4", "5");
        assertThat(CopyKeys.seen(database)).hasSize(7);
    }

    @Test
    void handlesWhatIsReplayedOnceTheCauseIsMended(TestDatabase database, Given given) {
        given.births(10);
        TailFixture tailing = poisoned(database, Mode.PROMPT, IMPATIENT, 3, 4, 5);
        Lease lease = tailing.claim("a");
        tailing.until(lease, () -> tailing.cursor().deadLettered() == 3);
        DeadLetters letters = new DeadLetters(tailing.db);
        database.run("DELETE FROM public.poison WHERE id <> 4");

        tailing.allowReplays();
        letters.replay(List.of(letters.list(null, 0, 1).getFirst().id()), new OperatorAct("ann", "mended"));
        int replayed = letters.replayAll("birth_registry", new OperatorAct("ann", "mended"));
        tailing.until(lease, () -> tailing.cursor().deadLettered() == 4);

        assertThat(replayed).isEqualTo(2);
        assertThat(CopyKeys.seen(database)).hasSize(9).doesNotHaveDuplicates().doesNotContain("4");
        database.run("DELETE FROM public.poison");
        letters.replayAll("birth_registry", new OperatorAct("ann", "mended again"));
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 10 && findings(database).isEmpty());
        assertThat(database.list(
                        row -> row.getString(1), "SELECT actor FROM oneroof.operator_act WHERE act = 'dlq_replay'"))
                .containsExactly("ann", "ann", "ann");
        assertThat(tailing.cursor().attemptsWritten()).isEqualTo(10);
    }

    @Test
    void forgetsARowThatHasGone(TestDatabase database, Given given) {
        given.births(5);
        TailFixture tailing = poisoned(database, Mode.PROMPT, TIRELESS, 3);
        Lease lease = tailing.claim("a");
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 4);

        database.run("DELETE FROM birth_registry WHERE id = 3");

        tailing.until(
                lease,
                () -> database.value(
                                Long.class, "SELECT count(*) FROM oneroof.event_pending WHERE processed_at IS NOT NULL")
                        == 1);
    }

    @Test
    void keepsOfAHandlersFailureTheMessageAndNotTheRow(TestDatabase database, Given given) {
        given.births(3);
        database.run("CREATE TABLE public.once (secret text PRIMARY KEY)");
        database.run("INSERT INTO public.once VALUES ('very secret')");
        TailFixture tailing = new TailFixture(
                database,
                births(Mode.PROMPT),
                new SetEffect("1", "INSERT INTO public.once SELECT 'very secret' FROM page", Map.of()));
        Lease lease = tailing.claim("a");

        tailing.until(lease, () -> database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending") == 3);

        assertThat(database.list(row -> row.getString(1), "SELECT DISTINCT last_error FROM oneroof.event_pending"))
                .singleElement()
                .asString()
                .contains("once_pkey")
                .doesNotContain("very secret");
    }

    @Test
    void blamesNoRowForWhatAllWouldMeet(TestDatabase database, Given given) {
        given.births(3);
        TailFixture tailing = new TailFixture(
                database,
                births(Mode.PROMPT),
                new SetEffect("1", "INSERT INTO public.not_there SELECT 1 FROM page", Map.of()));
        Lease lease = tailing.claim("a");

        assertThatThrownBy(() -> tailing.drain(lease)).matches(e -> "42P01".equals(SqlState.of(e)));

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending"))
                .isZero();
        assertThat(tailing.cursor().eventsSeen()).isZero();
    }

    @Test
    void commitsNoFailureUnderALostLease(TestDatabase database, Given given) {
        given.births(1);
        TailFixture tailing = poisoned(database, Mode.PROMPT, IMPATIENT, 1);
        Lease lease = tailing.claim("a");
        tailing.runOnce(lease);
        tailing.claim("b");

        tailing.drainOrLose(lease);

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending"))
                .isZero();
    }

    private static TailFixture poisoned(TestDatabase database, Mode mode, TailConfig config, int... ids) {
        database.run(CopyKeys.TABLE);
        database.run("CREATE TABLE public.poison (id integer PRIMARY KEY)");
        for (int id : ids) {
            database.run("INSERT INTO public.poison VALUES (" + id + ")");
        }
        return new TailFixture(database, births(mode), POISONED, config);
    }

    private static TailSource births(Mode mode) {
        return TailSource.of("birth_registry", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .in(mode)
                .inBatchesOf(50)
                .polledEvery(Duration.ofMillis(50));
    }

    private static List<String> pending(TestDatabase database) {
        return database.list(
                row -> row.getString(1) + " " + row.getString(2),
                "SELECT key_id, last_sqlstate FROM oneroof.event_pending e ORDER BY e.key_id::int");
    }

    private static List<String> findings(TestDatabase database) {
        return database.list(
                row -> row.getString(1) + " " + row.getLong(2),
                "SELECT issue_type, occurrence_count FROM oneroof.system_issues WHERE status = 'open' ORDER BY issue_type");
    }
}
