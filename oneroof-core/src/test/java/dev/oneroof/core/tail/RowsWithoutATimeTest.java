package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A row whose time or other columns are null, or whose time has no end, reaches every kind of effect on every path, once. */
@OneRoofTest
class RowsWithoutATimeTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "a test");

    /** The three ways to write a worker. Each notes the row's id, its time and another column of it. */
    enum Way {
        EACH_ROW,
        IN_BATCHES,
        BY_SQL;

        TailSpec spec(Set<Long> poisoned) {
            TailDraft<TailSpec> draft = TailSpec.draft("test_worker", "mixed").reading("note");
            return switch (this) {
                case EACH_ROW -> draft.eachRow((tx, row) -> note(tx, row, poisoned));
                case IN_BATCHES ->
                    draft.inBatches((tx, rows) -> {
                        for (Row row : rows) {
                            note(tx, row, poisoned);
                        }
                    });
                case BY_SQL -> draft.bySql("""
                        INSERT INTO public.handled (id, ts, note)
                        SELECT order_id / CASE WHEN order_id IN (SELECT id FROM public.poison) THEN 0 ELSE 1 END,
                               order_ts::text, note
                        FROM page""");
            };
        }

        private static void note(UserTx tx, Row row, Set<Long> poisoned) {
            if (poisoned.contains(row.number("id"))) {
                throw new IllegalArgumentException("poisoned");
            }
            assertThat(row.key().id()).isEqualTo(row.string("id"));
            assertThat(row.isNull("at")).isEqualTo(row.key().ts() == null);
            tx.update("INSERT INTO public.handled (id, ts, note) VALUES (:id, :ts, :note)")
                    .bind("id", row.number("id"))
                    .bind("ts", row.key().ts())
                    .bind("note", row.string("note"))
                    .execute();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "timestamptz, EACH_ROW,   PROMPT",
        "timestamptz, EACH_ROW,   STRICT",
        "timestamptz, IN_BATCHES, PROMPT",
        "timestamptz, IN_BATCHES, STRICT",
        "timestamptz, BY_SQL,     PROMPT",
        "timestamptz, BY_SQL,     STRICT",
        "timestamp,   EACH_ROW,   PROMPT",
        "timestamp,   EACH_ROW,   STRICT",
        "timestamp,   IN_BATCHES, PROMPT",
        "timestamp,   IN_BATCHES, STRICT",
        "timestamp,   BY_SQL,     PROMPT",
        "timestamp,   BY_SQL,     STRICT",
        "date,        EACH_ROW,   PROMPT",
        "date,        IN_BATCHES, PROMPT",
        "date,        BY_SQL,     PROMPT"
    })
    void reachEveryEffectOnEveryPath(String type, Way way, Mode mode, TestDatabase database) {
        Mixed mixed = new Mixed(database, type, mode, way, 0);

        // A backlog. What is dated in the future has to wait where the order of the keys is kept.
        mixed.insert("NULL", 7);
        mixed.insert("now() - interval '3 days'", 7);
        mixed.insert("'-infinity'", 2);
        mixed.insert("NULL", 2);
        if (mode == Mode.PROMPT) {
            mixed.insert("'infinity'", 2);
            mixed.insert(type.equals("date") ? "'5874897-12-31'" : "'294276-12-31 23:59:59.999999'", 1);
        }
        mixed.insert(type.equals("date") ? "'4713-01-01 BC'" : "'4713-01-02 00:00:00 BC'", 1);
        mixed.awaitEachOnce();

        // A row below the settled watermark.
        if (!type.equals("date")) {
            mixed.insert("now() - interval '1 day'", 1);
            mixed.awaitEachOnce();
        }

        // Rows that arrive while the tail has caught up.
        mixed.insert("NULL", 3);
        mixed.insert("now()", 3);
        mixed.awaitEachOnce();

        // Rows that fail once and are tried again.
        mixed.poisonNext("NULL");
        mixed.poisonNext("now()");
        if (mode == Mode.PROMPT) {
            mixed.poisonNext("'infinity'");
        }
        mixed.insert("NULL", 2);
        mixed.awaitWaiting(mode == Mode.PROMPT ? 3 : 2);
        mixed.heal();
        mixed.awaitEachOnce();

        // A replay from the very beginning.
        mixed.replay();
        mixed.awaitEach(2);
        mixed.assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"EACH_ROW", "IN_BATCHES", "BY_SQL"})
    void reachTheEffectOfAShard(Way way, TestDatabase database) {
        Mixed mixed = new Mixed(database, "timestamptz", Mode.PROMPT, way, 3);
        mixed.insert("NULL", 4);
        mixed.insert("now()", 4);

        mixed.awaitEachOnce();
        mixed.poisonNext("NULL");
        mixed.awaitWaiting(1);
        mixed.heal();

        mixed.awaitEachOnce();
        mixed.assertNothingIsLeft();
    }

    /** As a user would meet it: a page of nothing else, and one that has them beside rows with a time. */
    @Test
    void reachAJavaHandlerInManyBatches(TestDatabase database) {
        Mixed mixed = new Mixed(database, "timestamptz", Mode.PROMPT, Way.EACH_ROW, 0);
        mixed.insert("CASE WHEN n % 2 = 0 THEN now() END", 1300);

        mixed.awaitEachOnce();

        mixed.assertNothingIsLeft();
    }

    @OnEveryServer
    void areToldOfWhileTheCursorIsPaused(TestDatabase database) {
        Mixed mixed = new Mixed(database, "timestamptz", Mode.PROMPT, Way.EACH_ROW, 0);
        Cursors cursors = new Cursors(mixed.tailing.db);
        cursors.pause(mixed.tailing.scope, ANN, null);
        mixed.insert("'-infinity'", 1);
        mixed.insert("NULL", 1);

        assertThat(mixed.tailing.turn(mixed.lease, 10)).isNotEmpty().allMatch(pass -> pass.contains("paused by ann"));

        assertThat(cursors.show(mixed.tailing.scope).lagSeconds()).isEqualTo(1e10);
        assertThat(cursors.show(mixed.tailing.scope).rowsBehind()).isEqualTo(2);
        cursors.resume(mixed.tailing.scope, ANN);
        mixed.tailing.until(mixed.lease, () -> mixed.lines() == 2);
        mixed.awaitEachOnce();
        assertThat(cursors.show(mixed.tailing.scope).rowsBehind()).isZero();
    }

    /** A table whose rows have a time or none, and what a tail of it has handled. */
    private static final class Mixed {
        private final TestDatabase database;
        private final String type;
        private final TailFixture tailing;
        private final Lease lease;
        private final Set<Long> poisoned = new ConcurrentSkipListSet<>();

        Mixed(TestDatabase database, String type, Mode mode, Way way, int shard) {
            this.database = database;
            this.type = type;
            database.run(
                    "CREATE TABLE public.mixed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at %s, note text)"
                            .formatted(type));
            database.run("CREATE INDEX ON public.mixed (at, id)");
            database.run("CREATE TABLE public.handled (id bigint, ts text, note text)");
            database.run("CREATE TABLE public.poison (id bigint)");
            TailSource source = TailSource.of("mixed", "public", "mixed", "id", IdType.BIGINT)
                    .timedBy("at", TimeType.of(type), type.equals("timestamp") ? "UTC" : null)
                    .under(type.equals("date") ? OrderContract.EXTERNAL : OrderContract.CLOCK)
                    .in(mode)
                    .inBatchesOf(50)
                    .polledEvery(Duration.ofMillis(10));
            TailConfig patient = new TailConfig(
                    1_000_000,
                    Duration.ofMillis(10),
                    Duration.ofMillis(50),
                    100,
                    Duration.ofMinutes(10),
                    50_000,
                    Duration.ofMillis(50),
                    1_000_000);
            tailing = new TailFixture(
                    database.dataSource(), source, way.spec(poisoned).effect(), patient, shard);
            lease = tailing.claim("a");
        }

        /** So many rows of a time; every other one has no note. */
        void insert(String time, int rows) {
            database.run("INSERT INTO public.mixed (at, note) SELECT %s, CASE WHEN n %% 2 = 0 THEN n::text END"
                            .formatted(typed(time))
                    + " FROM generate_series(1, " + rows + ") n");
        }

        private String typed(String time) {
            return type.equals("timestamp") && time.contains("now()")
                    ? time.replace("now()", "(now() AT TIME ZONE 'UTC')")
                    : "CAST(%s AS %s)".formatted(time, type);
        }

        void poisonNext(String time) {
            long next = 1 + database.value(Long.class, "SELECT max(id) FROM public.mixed");
            poisoned.add(next);
            database.run("INSERT INTO public.poison VALUES (?)", next);
            insert(time, 1);
        }

        void heal() {
            poisoned.clear();
            database.run("TRUNCATE public.poison");
        }

        void awaitWaiting(long rows) {
            pass(() -> waiting() >= rows, rows + " rows that wait for a retry");
        }

        private long waiting() {
            return database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending WHERE processed_at IS NULL");
        }

        void awaitEachOnce() {
            awaitEach(1);
        }

        void awaitEach(int times) {
            pass(() -> lines() >= times * rows(), "%d rows %d times".formatted(rows(), times));
            tailing.turn(lease, 5);
            assertThat(database.list(
                            row -> row.getString(1),
                            "SELECT m.id || ' of ' || coalesce(m.at::text, 'no time') || ' ' || count(h.id) || ' times'"
                                    + " FROM public.mixed m LEFT JOIN public.handled h USING (id)"
                                    + " GROUP BY m.id HAVING count(h.id) <> " + times + " ORDER BY m.id"))
                    .isEmpty();
            assertThat(database.list(
                            row -> row.getString(1),
                            "SELECT m.id || ': ' || concat_ws(', ', h.ts, h.note)"
                                    + " FROM public.mixed m JOIN public.handled h USING (id)"
                                    + " WHERE h.ts::%s IS DISTINCT FROM m.at OR h.note IS DISTINCT FROM m.note"
                                            .formatted(type)))
                    .as("rows whose columns were read as something else")
                    .isEmpty();
        }

        private long rows() {
            return database.value(Long.class, "SELECT count(*) FROM public.mixed");
        }

        private long lines() {
            return database.value(Long.class, "SELECT count(*) FROM public.handled");
        }

        private void pass(java.util.function.BooleanSupplier reached, String what) {
            List<String> failures = tailing.turnUntil(lease, reached, Duration.ofSeconds(15));
            assertThat(failures).as("passes that failed, waiting for " + what).isEmpty();
        }

        void replay() {
            tailing.allowReplays();
            new Cursors(tailing.db).replay(tailing.scope, null, ANN);
        }

        void assertNothingIsLeft() {
            assertThat(waiting()).isZero();
            assertThat(tailing.cursor().deadLettered()).isZero();
        }
    }
}
