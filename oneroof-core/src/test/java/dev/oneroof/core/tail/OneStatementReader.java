package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A control: bound, holders and rows in one statement, which is tempting and wrong. It is a single SELECT; two advisory locks
 * in it, held by somebody else, let a test put other things between its parts. Its snapshot is older than its look at the locks.
 */
final class OneStatementReader implements StepwiseReader {
    // Each part is a function of the one before, so that they are worked out in this order.
    private static final String READ = """
            WITH bound AS MATERIALIZED (
                SELECT clock_timestamp() - interval '%1$d ms' AS h
            ), looked AS MATERIALIZED (
                SELECT b.h,
                       (SELECT count(*)
                        FROM pg_locks l
                        JOIN pg_stat_activity a ON a.pid = l.pid
                        WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND l.pid <> pg_backend_pid()
                          AND b.h IS NOT NULL) AS holders
                FROM bound b
                WHERE pg_advisory_xact_lock(1)::text IS NOT NULL)
            SELECT l.h::text, l.holders, (SELECT count(*) FROM public.timed t WHERE t.at <= l.h)
            FROM looked l
            WHERE pg_advisory_xact_lock(2)::text IS NOT NULL
            """.formatted(BoundStore.GUARD.toMillis());

    private static final String WAITS = """
            SELECT count(*) > 0
            FROM pg_locks l
            JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
            WHERE l.locktype = 'advisory' AND NOT l.granted AND l.objid = ?::int::oid
            """;

    private final Connection reader;
    private final Sql gates;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private int step;
    private @Nullable Future<Answer> answer;
    private @Nullable Answer settled;

    OneStatementReader(TestDatabase database) {
        reader = database.connect();
        gates = database.sql();
        close(1);
        close(2);
    }

    private record Answer(String bound, long holders, long rows) {}

    @Override
    public void begin() {
        step = 0;
        settled = null;
    }

    @Override
    public void step() {
        switch (step++) {
            case 0 -> {
                answer = thread.submit((Callable<Answer>) this::read);
                awaitAt(1);
            }
            case 1 -> {
                open(1);
                awaitAt(2);
            }
            default -> {
                open(2);
                Answer given = given();
                settled = given.holders() == 0 ? given : null;
                close(1);
                close(2);
            }
        }
    }

    private Answer read() throws SQLException {
        try (Statement statement = reader.createStatement();
                ResultSet row = statement.executeQuery(READ)) {
            row.next();
            return new Answer(row.getString(1), row.getLong(2), row.getLong(3));
        }
    }

    private Answer given() {
        if (answer == null) {
            throw new IllegalStateException("nothing was asked");
        }
        try {
            return answer.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void close(int gate) {
        gates.run("SELECT pg_advisory_lock(?)", (long) gate);
    }

    private void open(int gate) {
        gates.run("SELECT pg_advisory_unlock(?)", (long) gate);
    }

    private void awaitAt(int gate) {
        Await.patiently().until("the statement at gate " + gate, () -> gates.value(Boolean.class, WAITS, gate));
    }

    @Override
    public boolean hasSettled() {
        return settled != null;
    }

    @Override
    public boolean settledRangeIsUnchanged() {
        return settled == null
                || gates.value(
                                Long.class,
                                "SELECT count(*) FROM public.timed WHERE at <= ?::timestamptz",
                                settled.bound())
                        == settled.rows();
    }

    @Override
    public void close() throws SQLException {
        thread.shutdownNow();
        gates.close();
        reader.close();
    }
}
