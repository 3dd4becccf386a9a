package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class SourceAlterTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "the writers have changed");

    @BeforeEach
    void aTable(TestDatabase database) {
        database.run("CREATE TABLE public.t (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " at timestamptz DEFAULT clock_timestamp(), kind text)");
        database.run("CREATE INDEX ON public.t (at, id)");
        database.run(CopyKeys.TABLE);
    }

    @Test
    void handsOutEverythingAgainForAnotherFilter(TestDatabase database) {
        TailFixture tailing = tail(database, byId().where("kind = 'a'"));
        Lease lease = tailing.claim("a");
        insert(database, "a", "b", "a", "c", "b");
        tailing.until(lease, () -> seen(database).equals(List.of("1", "3")));
        settle(tailing, lease, 5);

        AlterPlan plan = plan(tailing, source -> source.where("kind IN ('a', 'b')"));
        assertThat(plan.isSound()).isFalse();
        assertThat(effectOf(plan)).isInstanceOfSatisfying(AlterPlan.Effect.Replays.class, repeats -> {
            assertThat(repeats.from()).isNull();
            assertThat(repeats.rows()).isEqualTo(new CursorReport.Preview(4, false, "1", "5"));
        });
        assertRefused(() -> alter(tailing, plan), ErrorCode.CONFLICT, "queue.replay.enabled");
        tailing.allowReplays();
        alter(tailing, plan);
        insert(database, "b", "c", "a");

        tailing.until(lease, () -> seen(database).size() >= 8);
        tailing.turn(lease, 10);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "3", "1", "2", "3", "5", "6", "8");
        assertThat(database.list(row -> row.getString(1), "SELECT act FROM oneroof.operator_act ORDER BY act_id"))
                .endsWith("source_alter", "cursor_reread");
    }

    @Test
    void goesOnWhereAllRowsWereReadAndReadsAgainFromThePlaceThatIsNamed(TestDatabase database) {
        TailFixture tailing = tail(database, byId());
        Lease lease = tailing.claim("a");
        insert(database, "a", "b");
        settle(tailing, lease, 2);

        AlterPlan narrowed = plan(tailing, source -> source.where("kind = 'a'"));
        assertThat(narrowed.isSound()).isTrue();
        alter(tailing, narrowed);
        insert(database, "a", "b", "c");
        settle(tailing, lease, 5);
        assertThat(seen(database)).containsExactly("1", "2", "3");

        AlterPlan widened =
                new Sources(tailing.db).planAlter("t", source -> source.where("kind <> 'c'"), new Watermark(null, "2"));
        assertThat(effectOf(widened))
                .isInstanceOfSatisfying(
                        AlterPlan.Effect.Replays.class,
                        repeats -> assertThat(repeats.from()).isEqualTo(new Watermark(null, "2")));
        tailing.allowReplays();
        alter(tailing, widened);
        tailing.until(lease, () -> seen(database).size() >= 5);
        tailing.turn(lease, 5);
        assertThat(seen(database)).containsExactly("1", "2", "3", "3", "4");
    }

    @Test
    void commitsNoBatchOfTheOldDefinition(TestDatabase database) {
        AtomicBoolean first = new AtomicBoolean(true);
        TailFixture[] made = new TailFixture[1];
        made[0] = new TailFixture(database, byId().where("kind = 'a'"), (tx, page) -> {
            if (first.getAndSet(false)) {
                alter(made[0], source -> source.where("kind = 'b'"));
            }
            return new CopyKeys().apply(tx, page);
        });
        TailFixture tailing = made[0];
        Lease lease = tailing.claim("a");
        insert(database, "a", "b", "a");

        assertThat(tailing.runOnce(lease)).isEqualTo(new Pass.Worked(0));
        tailing.until(lease, () -> !seen(database).isEmpty());
        tailing.turn(lease, 5);
        assertThat(seen(database)).containsExactly("2");
    }

    /** The source is looked at once a second; a cursor that changes hands within it must not be read by the old one. */
    @Test
    void aNewOwnerThatKnowsTheOldDefinitionDoesNotReadByIt(TestDatabase database) {
        TailFixture tailing = tail(database, byId().where("kind = 'a'"));
        Lease before = tailing.claim("a");
        insert(database, "a", "b");
        settle(tailing, before, 2);
        insert(database, "a", "b");
        Lease after = tailing.claim("b");
        AlterPlan plan = plan(tailing, source -> source.where("kind IN ('a', 'b')"));

        Await.pause(Duration.ofMillis(1100));
        assertThat(tailing.isPaused()).as("a look at the source").isFalse();
        tailing.allowReplays();
        alter(tailing, plan);
        tailing.turn(after, 1);
        settle(tailing, after, 4);

        assertThat(seen(database)).containsExactlyInAnyOrder("1", "1", "2", "3", "4");
    }

    @Test
    void triesARowAgainThatFailedUnderTheOldFilter(TestDatabase database) {
        AtomicBoolean broken = new AtomicBoolean(true);
        CopyKeys copy = new CopyKeys();
        TailFixture tailing = new TailFixture(
                database,
                byId().where("kind = 'a'"),
                (tx, page) -> {
                    Batch batch = copy.apply(tx, page);
                    if (broken.get()
                            && tx.query("SELECT EXISTS (SELECT FROM public.seen WHERE key = '3')")
                                    .mapTo(Boolean.class)
                                    .one()) {
                        throw new IllegalStateException("3 is bad");
                    }
                    return batch;
                },
                new TailConfig(
                        1000,
                        Duration.ofMillis(10),
                        Duration.ofMillis(50),
                        100,
                        Duration.ofMinutes(10),
                        50_000,
                        Duration.ofMillis(50),
                        1_000_000));
        Lease lease = tailing.claim("a");
        insert(database, "a", "b", "a");
        settle(tailing, lease, 3);
        assertThat(seen(database)).containsExactly("1");

        tailing.allowReplays();
        alter(tailing, TailSource::unfiltered);
        settle(tailing, lease, 3);
        broken.set(false);
        tailing.until(lease, () -> seen(database).contains("3"));
        tailing.turn(lease, 10);

        assertThat(seen(database)).containsExactlyInAnyOrder("1", "1", "2", "3");
    }

    /** Settled stands close to the clock under the old contract; the window begins behind it under the new one. */
    @Test
    void findsWhatArrivesLateAfterTheStepToExternal(TestDatabase database) {
        TailFixture tailing = tail(database, byTime().rereading(Duration.ofSeconds(3)));
        Lease lease = tailing.claim("a");
        insert(database, "a", "b");
        tailing.until(
                lease, () -> seen(database).size() == 2 && tailing.cursor().settled() != null);

        AlterPlan plan = plan(tailing, source -> source.under(OrderContract.EXTERNAL));
        assertThat(effectOf(plan)).isInstanceOf(AlterPlan.Effect.Rereads.class);
        alter(tailing, plan);
        database.run("INSERT INTO public.t (at, kind) VALUES (clock_timestamp() - interval '90 s', 'late')");
        insert(database, "c");

        tailing.until(lease, () -> seen(database).size() >= 4);
        tailing.turn(lease, 10);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "2", "3", "4");
    }

    @Test
    void findsWhatArrivesLateAfterAReplayUnderExternal(TestDatabase database) {
        TailFixture tailing =
                tail(database, byTime().under(OrderContract.EXTERNAL).rereading(Duration.ofSeconds(3)));
        Lease lease = tailing.claim("a");
        insert(database, "a");
        tailing.until(
                lease, () -> seen(database).size() == 1 && tailing.cursor().settled() != null);
        insert(database, "b");
        tailing.until(lease, () -> seen(database).size() == 2);

        tailing.allowReplays();
        new Cursors(tailing.db).replay(tailing.scope, null, ANN);
        tailing.until(lease, () -> seen(database).size() == 4);
        database.run("INSERT INTO public.t (at, kind) SELECT at - interval '1 us', 'late' FROM public.t WHERE id = 2");

        tailing.until(lease, () -> seen(database).size() >= 5);
        tailing.turn(lease, 10);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "2", "1", "2", "3");
    }

    /** Under the clock, settled came closer to the present than the window: a replay under external must not skip that. */
    @Test
    void findsWhatArrivesLateAfterAnotherFilterAndTheStepToExternal(TestDatabase database) {
        TailFixture tailing = tail(database, byTime().where("kind <> 'x'").rereading(Duration.ofSeconds(3)));
        Lease lease = tailing.claim("a");
        insert(database, "a", "b");
        tailing.until(
                lease, () -> seen(database).size() == 2 && tailing.cursor().settled() != null);
        // As after a batch whose bound was taken later than its rows.
        database.run("UPDATE oneroof.gov_worker_cursor SET highest_settled_ts = clock_timestamp()::text");

        AlterPlan plan =
                plan(tailing, source -> source.under(OrderContract.EXTERNAL).where("kind <> 'y'"));
        assertThat(effectOf(plan)).isInstanceOf(AlterPlan.Effect.Replays.class);
        tailing.allowReplays();
        alter(tailing, plan);
        tailing.until(lease, () -> seen(database).size() == 4);
        database.run("INSERT INTO public.t (at, kind) SELECT at + interval '1 us', 'late' FROM public.t WHERE id = 2");

        tailing.until(lease, () -> seen(database).size() >= 5);
        tailing.turn(lease, 10);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "2", "1", "2", "3");
    }

    @Test
    void handsOutAgainWhatNoBarrierHadProven(TestDatabase database) {
        TailFixture tailing = tail(database, byTime().under(OrderContract.EXTERNAL));
        Lease lease = tailing.claim("a");
        insert(database, "a", "b");
        tailing.until(
                lease, () -> seen(database).size() == 2 && tailing.cursor().settled() != null);
        database.run("INSERT INTO public.t (at, kind) VALUES (now() - interval '1 day', 'missed')");
        tailing.turn(lease, 3);
        assertThat(seen(database)).containsExactly("1", "2");

        AlterPlan plan = plan(tailing, source -> source.under(OrderContract.CLOCK));
        assertThat(effectOf(plan)).isInstanceOf(AlterPlan.Effect.Replays.class);
        assertRefused(() -> alter(tailing, plan), ErrorCode.CONFLICT, "queue.replay.enabled");
        assertThat(registered(tailing).contract()).isEqualTo(OrderContract.EXTERNAL);
        tailing.allowReplays();
        alter(tailing, plan);

        tailing.until(lease, () -> seen(database).size() >= 5);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "2", "1", "2", "3");
    }

    @Test
    void changesWhatNoPlaceDependsOnWithoutAStepBack(TestDatabase database) {
        TailFixture tailing = tail(database, byId());
        Lease lease = tailing.claim("a");
        insert(database, "a", "b");
        settle(tailing, lease, 2);

        AlterPlan plan = plan(
                tailing,
                source -> source.in(Mode.STRICT)
                        .inBatchesOf(7)
                        .polledEvery(Duration.ofMillis(20))
                        .behindAfter(Duration.ofHours(1))
                        .rereading(Duration.ofHours(2)));
        assertThat(plan.isSound()).isTrue();
        assertThat(plan.changes())
                .contains(
                        "mode from 'prompt' to 'strict'", "batch_size from 5000 to 7", "reread_window from 10m to 2h");
        alter(tailing, plan);
        insert(database, "c");
        settle(tailing, lease, 3);

        assertThat(seen(database)).containsExactly("1", "2", "3");
        assertThat(registered(tailing)).isEqualTo(plan.after());
    }

    @Test
    void refusesAPreviewThatNoLongerHolds(TestDatabase database) throws Exception {
        TailFixture tailing = tail(database, byId());
        AlterPlan shown = plan(tailing, source -> source.inBatchesOf(10));
        alter(tailing, source -> source.polledEvery(Duration.ofSeconds(5)));
        assertRefused(() -> alter(tailing, shown), ErrorCode.CONFLICT, "has changed since the plan was shown");

        AlterPlan filtered = plan(tailing, source -> source.where("kind = 'a'").inBatchesOf(3));
        AlterPlan other = plan(tailing, source -> source.where("kind = 'b'").inBatchesOf(4));
        List<Callable<Boolean>> both = List.of(() -> tried(tailing, filtered), () -> tried(tailing, other));
        List<Boolean> made = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            for (Future<Boolean> one : pool.invokeAll(both)) {
                made.add(one.get());
            }
        }
        assertThat(made).as("one of two at the same time").containsExactlyInAnyOrder(true, false);
        assertThat(registered(tailing)).isIn(filtered.after(), other.after());
    }

    @Test
    void refusesWhatNoCursorCouldGoOnWith(TestDatabase database) {
        TailFixture tailing = tail(database, byId());
        TailSource before = registered(tailing);

        assertRefused(
                () -> plan(tailing, source -> source.under(OrderContract.CLOCK)),
                ErrorCode.INVALID_INPUT,
                "contract: 'sequence' cannot become 'clock'");
        assertRefused(
                () -> plan(tailing, source -> source.where("at < now()")),
                ErrorCode.INVALID_INPUT,
                "filter: 'at < now()' is not allowed");
        assertRefused(() -> plan(tailing, source -> source.inZone("UTC")), ErrorCode.INVALID_INPUT, "time_zone: 'UTC'");
        assertRefused(
                () -> new Sources(tailing.db).planAlter("nothing", source -> source, null),
                ErrorCode.NOT_FOUND,
                "'nothing' is not registered");
        assertThat(registered(tailing)).isEqualTo(before);
        assertThatThrownBy(() -> tailing.db.useTx(tx -> new SourceStore().register(tx, before.where("id > 1"), "x")))
                .hasMessageContaining("alter the source");
    }

    /** Whatever is altered whenever: none is missing that the last filter lets through. */
    @Test
    void losesNothingOverManyChanges(TestDatabase database) {
        long seed = Long.getLong("oneroof.test.seed", System.nanoTime());
        System.out.println("SourceAlterTest seed " + seed);
        Random random = new Random(seed);
        List<@Nullable String> filters = Arrays.asList(null, "id % 2 = 0", "id % 3 = 0", "kind = 'a'", "kind <> 'c'");
        TailFixture tailing = tail(database, byTime().inBatchesOf(3).polledEvery(Duration.ofMillis(10)));
        tailing.allowReplays();
        Lease lease = tailing.claim("a");
        int changes = 0;
        for (int step = 0; step < 60; step++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> insert(database, random.nextBoolean() ? "a" : "b", "c", random.nextBoolean() ? "a" : "c");
                case 2 -> {
                    if (changes < 7) {
                        String filter = filters.get(random.nextInt(filters.size()));
                        alter(tailing, source -> filter == null ? source.unfiltered() : source.where(filter));
                        changes++;
                    }
                }
                case 3 ->
                    database.run("INSERT INTO public.t (at, kind) VALUES (NULL, 'a'), (now() + interval '1 h', 'c')");
                default -> tailing.turn(lease, 1 + random.nextInt(4));
            }
        }
        String filter = registered(tailing).filter();
        String missing = "SELECT count(*) FROM public.t WHERE (%s) AND id::text NOT IN (SELECT key FROM public.seen)"
                .formatted(filter == null ? "true" : filter);
        List<String> failures = tailing.turnUntil(lease, () -> database.value(Long.class, missing) == 0);
        tailing.turn(lease, 20);

        assertThat(failures).isEmpty();
        assertThat(database.value(Long.class, missing)).as("seed %d", seed).isZero();
    }

    private static TailSource byId() {
        return TailSource.of("t", "public", "t", "id", IdType.INTEGER).polledEvery(Duration.ofMillis(10));
    }

    private static TailSource byTime() {
        return byId().timedBy("at", TimeType.TIMESTAMPTZ);
    }

    private static TailFixture tail(TestDatabase database, TailSource source) {
        return new TailFixture(database, source, new CopyKeys(), TailFixture.WATCHFUL);
    }

    private static void insert(TestDatabase database, String... kinds) {
        for (String kind : kinds) {
            database.run("INSERT INTO public.t (kind) VALUES ('" + kind + "')");
        }
    }

    /** Until settled has come to this id. */
    private static void settle(TailFixture tailing, Lease lease, int id) {
        tailing.until(lease, () -> {
            Watermark settled = tailing.cursor().settled();
            return settled != null && Integer.parseInt(String.valueOf(settled.id())) >= id;
        });
    }

    private static AlterPlan plan(TailFixture tailing, UnaryOperator<TailSource> change) {
        return new Sources(tailing.db).planAlter("t", change, null);
    }

    private static void alter(TailFixture tailing, UnaryOperator<TailSource> change) {
        alter(tailing, plan(tailing, change));
    }

    private static void alter(TailFixture tailing, AlterPlan plan) {
        new Sources(tailing.db).alter(plan, ANN);
    }

    private static boolean tried(TailFixture tailing, AlterPlan plan) {
        try {
            alter(tailing, plan);
            return true;
        } catch (OneRoofException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
            return false;
        }
    }

    private static AlterPlan.Effect effectOf(AlterPlan plan) {
        return plan.cursors().getFirst().effect();
    }

    private static TailSource registered(TailFixture tailing) {
        return new Sources(tailing.db).find("t");
    }

    private static List<String> seen(TestDatabase database) {
        return CopyKeys.seen(database);
    }

    private static void assertRefused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable act, ErrorCode code, String told) {
        assertThatThrownBy(act)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(told);
    }
}
