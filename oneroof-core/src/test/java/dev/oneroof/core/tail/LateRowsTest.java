package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A contract that its writers do not keep is told, and what they write too late is handled all the same, once. */
@OneRoofTest
class LateRowsTest {
    private static final TailConfig WATCHFUL = new TailConfig(
            5,
            Duration.ofSeconds(1),
            Duration.ofMinutes(10),
            100,
            Duration.ofMinutes(10),
            50_000,
            Duration.ofMillis(50),
            1_000_000);

    @ParameterizedTest
    @EnumSource(Mode.class)
    void handlesATimeMadeByAnApplication(Mode mode, TestDatabase database) {
        database.run(
                "CREATE TABLE public.timed (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        database.run(
                "INSERT INTO public.timed SELECT now() - interval '1 minute' * n, n FROM generate_series(1, 20) n");
        TailFixture tailing = tailing(database, clock().in(mode));
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 20 && tailing.cursor().settled() != null);

        database.run("INSERT INTO public.timed VALUES (now() - interval '90 seconds', 1000)");

        tailing.until(lease, () -> CopyKeys.seen(database).contains("1000"));
        assertThat(CopyKeys.seen(database)).hasSize(21).doesNotHaveDuplicates();
        assertThat(broken(database)).singleElement().asString().contains("below the settled watermark");
    }

    @Test
    void handlesAnIdGivenByHandBelowTheSettledOnes(TestDatabase database) {
        TailFixture tailing = numbered(database);
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 10 && tailing.cursor().settled() != null);

        database.run("INSERT INTO public.numbered (id) VALUES (5)");

        tailing.until(lease, () -> CopyKeys.seen(database).contains("5"));
        assertThat(CopyKeys.seen(database)).hasSize(11).doesNotHaveDuplicates();
        assertThat(broken(database)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    ALTER SEQUENCE public.numbered_id_seq CACHE 50     ; CACHE 50
                    ALTER SEQUENCE public.numbered_id_seq INCREMENT 50 ; INCREMENT 50
                    SELECT setval('public.numbered_id_seq', 3)         ; set back
                    SELECT setval('public.numbered_id_seq', 2000000000)  ; set forward
                    INSERT INTO public.numbered (id) VALUES (1000000)  ; not drawn
                    INSERT INTO public.numbered (id) VALUES (-7)       ; below the lowest
                    """)
    void raisesWhatBreaksASequence(String change, String told, TestDatabase database) {
        TailFixture tailing = numbered(database);
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 10 && tailing.cursor().settled() != null);
        // Once more, so that the watch has seen how things were.
        database.run("INSERT INTO public.numbered DEFAULT VALUES");
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 11);
        for (int looks = 0; looks < 3; looks++) {
            tailing.runOnce(lease);
        }

        database.run(change);

        tailing.until(lease, () -> !broken(database).isEmpty());
        assertThat(broken(database)).singleElement().asString().contains(told);
    }

    @Test
    void losesNothingToAnExplicitHighId(TestDatabase database) {
        TailFixture tailing = numbered(database);
        Lease lease = tailing.claim("a");
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 10);

        database.run("INSERT INTO public.numbered (id) VALUES (1000000)");
        tailing.until(lease, () -> CopyKeys.seen(database).contains("1000000"));
        database.run("INSERT INTO public.numbered DEFAULT VALUES");

        tailing.until(lease, () -> CopyKeys.seen(database).size() == 12);
        assertThat(tailing.cursor().settled()).isNotEqualTo(new Watermark(null, "1000000"));
    }

    @Test
    void raisesAClockThatHasSteppedBackAndWaitsForIt(TestDatabase database) {
        database.run(
                "CREATE TABLE public.timed (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        database.run(
                "INSERT INTO public.timed SELECT now() - interval '1 minute' * n, n FROM generate_series(1, 20) n");
        TailFixture tailing = tailing(database, clock());
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 20 && tailing.cursor().settled() != null);
        // As if all this had been settled before the clock went back by an hour.
        database.run(
                "UPDATE oneroof.gov_worker_cursor SET settled_ts = (now() + interval '1 hour')::text, settled_id = NULL,"
                        + " highest_settled_ts = (now() + interval '1 hour')::text, highest_settled_id = NULL");

        database.run("INSERT INTO public.timed (id) VALUES (1000)");

        tailing.until(
                lease,
                () -> CopyKeys.seen(database).contains("1000")
                        && !broken(database).isEmpty());
        assertThat(CopyKeys.seen(database)).hasSize(21).doesNotHaveDuplicates();
        tailing.until(lease, () -> broken(database).getFirst().contains("stepped back"));
    }

    /** Below the kept keys new rows cannot be told from handled ones: the operator learns from where to replay. */
    @Test
    void saysFromWhereToReplayWhenTheClockWentFurtherBackThanKeysAreKept(TestDatabase database) {
        database.run(
                "CREATE TABLE public.timed (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        database.run(
                "INSERT INTO public.timed SELECT now() - interval '1 minute' * n, n FROM generate_series(1, 20) n");
        TailFixture tailing = tailing(database, clock());
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 20 && tailing.cursor().settled() != null);
        database.run(
                "UPDATE oneroof.gov_worker_cursor SET settled_ts = (now() + interval '1 hour')::text, settled_id = NULL,"
                        + " highest_settled_ts = (now() + interval '1 hour')::text, highest_settled_id = NULL,"
                        + " kept_ts = (now() + interval '30 minutes')::text, kept_id = NULL");
        Lease next = tailing.claim("b");
        String told = "SELECT summary FROM oneroof.system_issues"
                + " WHERE issue_type = 'cursor_clock_stepped_back' AND status = 'open'";

        tailing.until(next, () -> !database.list(row -> row.getString(1), told).isEmpty());

        String first = database.value(String.class, told);
        assertThat(first).contains("oneroof cursor replay test_worker/", "--to-time '");
        tailing.turn(next, 30);
        assertThat(database.value(String.class, told)).as("the lowest stays").isEqualTo(first);
        database.run("UPDATE oneroof.gov_worker_cursor SET settled_ts = (now() - interval '1 second')::text,"
                + " highest_settled_ts = (now() - interval '1 second')::text");
        database.run("INSERT INTO public.timed (id) VALUES (1000)");
        tailing.allowReplays();
        new Cursors(tailing.db)
                .replay(
                        tailing.scope,
                        new Watermark("2001-01-01T00:00:00Z", null),
                        new OperatorAct("ann", "as it said"));
        assertThat(database.list(row -> row.getString(1), told)).isEmpty();
        Lease last = tailing.claim("c");
        tailing.until(last, () -> CopyKeys.seen(database).contains("1000"));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void raisesNothingForARowThatMerelyCommitsLate(Mode mode, TestDatabase database) {
        database.run(
                "CREATE TABLE public.timed (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        TailFixture tailing = tailing(database, clock().in(mode));
        Lease lease = tailing.claim("a");
        try (Sql late = database.sql()) {
            late.run("BEGIN");
            late.run("INSERT INTO public.timed (id) VALUES (1)");
            database.run("INSERT INTO public.timed (id) VALUES (2)");
            // Longer than the guard, with many looks of the watch.
            long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            tailing.until(lease, () -> System.nanoTime() > until);
            late.run("COMMIT");
        }

        tailing.until(lease, () -> CopyKeys.seen(database).size() == 2);
        long until = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        tailing.until(lease, () -> System.nanoTime() > until);
        assertThat(CopyKeys.seen(database)).hasSize(2);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void handlesRowsWithoutATimeOnce(TestDatabase database) {
        database.run("CREATE TABLE public.timed (at timestamptz DEFAULT now(), id integer PRIMARY KEY)");
        database.run("CREATE INDEX ON public.timed (at, id)");
        database.run("INSERT INTO public.timed SELECT NULL, n FROM generate_series(1, 20) n");
        TailFixture tailing = tailing(database, clock().inBatchesOf(7));
        Lease lease = tailing.claim("a");
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 20);

        database.run("INSERT INTO public.timed VALUES (NULL, 0), (now(), 100), (NULL, 30)");
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 23);
        Lease next = tailing.claim("b");
        database.run("UPDATE public.timed SET at = now() WHERE id = 30");

        tailing.until(next, () -> CopyKeys.seen(database).size() == 24);
        for (int passes = 0; passes < 20; passes++) {
            tailing.runOnce(next);
        }
        assertThat(CopyKeys.seen(database)).hasSize(24);
        assertThat(CopyKeys.seen(database).stream().filter("30"::equals)).hasSize(2);
    }

    @Test
    void forgetsKeptKeysThatAreTooManyAndKnowsFromWhereOn(TestDatabase database) {
        database.run(
                "CREATE TABLE public.timed (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        TailConfig few = new TailConfig(
                5,
                Duration.ofSeconds(1),
                Duration.ofMinutes(10),
                100,
                Duration.ofMinutes(10),
                10,
                Duration.ofMillis(50),
                1_000_000);
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(database, clock(), new CopyKeys(), few);
        Lease lease = tailing.claim("a");
        for (int n = 0; n < 5; n++) {
            database.run(
                    "INSERT INTO public.timed SELECT now(), 10 * %d + n FROM generate_series(1, 8) n".formatted(n));
            int expected = 8 * (n + 1);
            tailing.until(lease, () -> CopyKeys.seen(database).size() == expected);
        }

        tailing.until(
                lease,
                () -> database.value(Long.class, "SELECT coalesce(sum(key_count), 0) FROM oneroof.tail_stretch") <= 10);
        for (int passes = 0; passes < 20; passes++) {
            tailing.runOnce(lease);
        }
        assertThat(CopyKeys.seen(database)).hasSize(40).doesNotHaveDuplicates();
    }

    private static TailFixture numbered(TestDatabase database) {
        database.run("CREATE TABLE public.numbered (id serial PRIMARY KEY)");
        database.run("SELECT setval('public.numbered_id_seq', 10)");
        database.run(
                "INSERT INTO public.numbered SELECT nextval('public.numbered_id_seq') FROM generate_series(1, 10)");
        return tailing(
                database,
                TailSource.of("numbered", "public", "numbered", "id", IdType.INTEGER)
                        .polledEvery(Duration.ofMillis(10)));
    }

    private static TailSource clock() {
        return TailSource.of("timed", "public", "timed", "id", IdType.INTEGER)
                .timedBy("at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(10));
    }

    private static TailFixture tailing(TestDatabase database, TailSource source) {
        database.run(CopyKeys.TABLE);
        return new TailFixture(database, source, new CopyKeys(), WATCHFUL);
    }

    private static List<String> broken(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT summary FROM oneroof.system_issues WHERE issue_type = 'cursor_contract_broken' AND status = 'open'");
    }
}
