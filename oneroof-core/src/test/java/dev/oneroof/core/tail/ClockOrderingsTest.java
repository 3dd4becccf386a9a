package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.tail.read.Barrier;
import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.Tx;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What {@link OrderingsTest} tries for ids, for times: every order of the steps of two writers (begin, take a time, insert,
 * commit) and of one reader (bound, holders, rows). The bound stays a guard behind the clock, for the moment between a
 * message's arrival and its transaction's lock; steps that come one after the other never meet that moment, and would all lie
 * above the bound. So the writers' times are set back by the guard, and every order means something.
 */
@OneRoofTest
class ClockOrderingsTest {
    /** Set to true, the controls try every order too, and not just every tenth: to see how many they get wrong. */
    private static final String ALL = "oneroof.test.orderings.all";

    /** Where a writer's time comes from. */
    enum Time {
        /** Taken when the transaction begins, whenever it is asked for. */
        NOW("now()"),
        /** Taken when it is asked for. */
        CLOCK("clock_timestamp()");

        private final String sql;

        Time(String sql) {
            this.sql = sql;
        }
    }

    @ParameterizedTest
    @EnumSource
    void neverSettleARangeThatGrowsLater(Time time, TestDatabase database) throws SQLException {
        Tally tally = tried(database, time, 1, () -> new Looker(database, false));

        assertThat(tally.violations()).isEmpty();
        // The reader must have settled something, or it was right for nothing.
        assertThat(tally.settled()).isGreaterThan(100);
    }

    @ParameterizedTest
    @EnumSource
    void catchAReaderThatSettlesWhateverItSees(Time time, TestDatabase database) throws SQLException {
        assertThat(tried(database, time, ofControls(), () -> new Looker(database, true))
                        .violations())
                .isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void catchAReaderThatTakesBoundHoldersAndRowsInOneStatement(Time time, TestDatabase database) throws SQLException {
        assertThat(tried(database, time, ofControls(), () -> new OneStatementReader(database))
                        .violations())
                .isNotEmpty();
    }

    private record Tally(int orders, int settled, List<String> violations) {
        @Override
        public String toString() {
            return "%d orders, %d settled, %d of them grew later".formatted(orders, settled, violations.size());
        }
    }

    private static int ofControls() {
        return Boolean.getBoolean(ALL) ? 1 : 10;
    }

    private static Tally tried(TestDatabase database, Time time, int every, Supplier<StepwiseReader> kind)
            throws SQLException {
        database.run(
                "CREATE TABLE public.timed (at timestamptz, id bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (at, id))");
        List<String> violations = new ArrayList<>();
        int settled = 0;
        List<String> all = OrderingsTest.orders().stream()
                // The writers are alike: where b comes first, it is the same with the names changed.
                .filter(order -> order.indexOf('a') < order.indexOf('b'))
                .toList();
        List<String> orders = IntStream.range(0, all.size())
                .filter(i -> i % every == 0)
                .mapToObj(all::get)
                .toList();
        try (Connection first = writing(database);
                Connection second = writing(database);
                StepwiseReader reader = kind.get()) {
            for (String order : orders) {
                Writer a = new Writer(first, time);
                Writer b = new Writer(second, time);
                reader.begin();
                for (int i = 0; i < order.length(); i++) {
                    switch (order.charAt(i)) {
                        case 'a' -> a.step();
                        case 'b' -> b.step();
                        default -> reader.step();
                    }
                }
                settled += reader.hasSettled() ? 1 : 0;
                if (!reader.settledRangeIsUnchanged()) {
                    violations.add(order);
                }
            }
        }
        Tally tally = new Tally(orders.size(), settled, violations);
        System.out.println(time.sql + ": " + tally);
        return tally;
    }

    /** Without waiting for the disk at each commit: visible is visible. */
    private static Connection writing(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off");
        }
        connection.setAutoCommit(false);
        return connection;
    }

    private static final class Writer {
        private final Connection connection;
        private final Time time;
        private int step;
        private String key = "";

        Writer(Connection connection, Time time) {
            this.connection = connection;
            this.time = time;
        }

        void step() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                switch (step++) {
                    case 0 -> statement.execute("SELECT 1");
                    case 1 -> {
                        try (var row = statement.executeQuery("SELECT (%s - interval '%d ms')::text"
                                .formatted(time.sql, BoundStore.GUARD.toMillis()))) {
                            row.next();
                            key = row.getString(1);
                        }
                    }
                    case 2 -> statement.execute("INSERT INTO public.timed (at) VALUES ('" + key + "')");
                    default -> connection.commit();
                }
            }
        }
    }

    /** Takes its three steps, and remembers what it saw in a range it calls settled. */
    private static final class Looker implements StepwiseReader {
        private final TailSource source =
                TailSource.of("timed", "public", "timed", "id", IdType.BIGINT).timedBy("at", TimeType.TIMESTAMPTZ);
        private final BoundStore bounds = new BoundStore();
        private final Barrier<Watermark> barrier = new Barrier<>();
        private final HikariDataSource pool = new HikariDataSource();
        private final Database db;
        private final boolean plain;
        private int step;
        private @Nullable Watermark base;
        private @Nullable Watermark bound;
        private boolean settled;
        private Set<String> seen = Set.of();

        Looker(TestDatabase database, boolean plain) {
            this.plain = plain;
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(1);
            db = new Database(pool, SchemaName.DEFAULT);
        }

        @Override
        public void begin() {
            step = 0;
            settled = false;
            barrier.reset();
            base = db.inTx(tx -> bounds.bound(tx, source, null)).orElse(null);
        }

        @Override
        public void step() {
            switch (step++) {
                case 0 -> bound = db.inTx(tx -> bounds.bound(tx, source, null)).orElseThrow();
                case 1 -> look(db.inTx(bounds::holders));
                default -> {
                    seen = db.inTx(this::rowsUpToBound);
                    settled = plain || barrier.cleared().isPresent();
                }
            }
        }

        private void look(Set<Holder> open) {
            if (bound != null) {
                barrier.mark(bound, open, 0);
            }
        }

        @Override
        public boolean hasSettled() {
            return settled;
        }

        @Override
        public boolean settledRangeIsUnchanged() {
            return !settled || db.inTx(this::rowsUpToBound).equals(seen);
        }

        private Set<String> rowsUpToBound(Tx tx) {
            KeysetPage page = new KeysetPage(source, false, base, bound, null, 100);
            return tx.query("SELECT order_id::text FROM (" + page.select("1") + ") p")
                    .bindMap(page.parameters())
                    .mapTo(String.class)
                    .collect(Collectors.toSet());
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
