package dev.oneroof.bench.jobspeed;

import dev.oneroof.bench.Workshop;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The reference: a table with nothing on it that could be left out, and two threads. */
final class BareQueue {
    private static final int THREADS = 2;
    private static final int BATCH = 1000;

    private static final String TABLE = """
            CREATE TABLE oneroof_bench.bare_job (
                id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                state   text NOT NULL,
                run_at  timestamptz NOT NULL,
                payload jsonb NOT NULL)
            """;

    private static final String INDEX =
            "CREATE INDEX bare_job_due_idx ON oneroof_bench.bare_job (run_at) WHERE state = 'queued'";

    private static final String FILL = """
            INSERT INTO oneroof_bench.bare_job (state, run_at, payload)
            SELECT 'queued', now(), jsonb_build_object('no', n)
            FROM generate_series(1, %d) n
            """;

    private static final String LEASE = """
            UPDATE oneroof_bench.bare_job
            SET state = 'leased'
            WHERE id IN (
                SELECT id
                FROM oneroof_bench.bare_job
                WHERE state = 'queued'
                ORDER BY run_at
                LIMIT %d
                FOR UPDATE SKIP LOCKED)
            RETURNING id, payload
            """.formatted(BATCH);

    private static final String DONE_OF_ALL = "SELECT count(*) FROM oneroof_bench.bare_job WHERE state = 'done'";

    private static final String DONE = "UPDATE oneroof_bench.bare_job SET state = 'done' WHERE id = ANY (?)";

    private final Workshop workshop;
    /** What was read goes in here, so that the reading cannot be left out. */
    private final LongAdder read = new LongAdder();
    /** When the last ones were done: a look that finds no more is nobody's work. */
    private final AtomicLong doneNanos = new AtomicLong();

    BareQueue(Workshop workshop) {
        this.workshop = workshop;
    }

    void create() {
        workshop.run(TABLE, INDEX);
    }

    /** Jobs a second. */
    double drained(int jobs) throws Exception {
        workshop.settle();
        workshop.run("TRUNCATE oneroof_bench.bare_job", FILL.formatted(jobs));
        workshop.vacuum("oneroof_bench.bare_job");
        List<Connection> connections = new ArrayList<>();
        try {
            for (int n = 0; n < THREADS; n++) {
                Connection connection = workshop.connect();
                connection.setAutoCommit(false);
                connections.add(connection);
            }
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            long begun = System.nanoTime();
            List<Thread> threads = connections.stream()
                    .map(connection -> Thread.ofPlatform().start(() -> {
                        try {
                            drain(connection);
                        } catch (SQLException e) {
                            failures.add(e);
                        }
                    }))
                    .toList();
            for (Thread thread : threads) {
                thread.join();
            }
            double seconds = (doneNanos.get() - begun) / 1e9;
            if (!failures.isEmpty()) {
                throw new IllegalStateException("the reference failed", failures.getFirst());
            }
            if (read.sum() == 0) {
                throw new IllegalStateException("the reference read nothing");
            }
            long done = workshop.owner()
                    .inTx(tx -> tx.query(DONE_OF_ALL).mapTo(Long.class).one());
            if (done != jobs) {
                throw new IllegalStateException("the reference did %d of %d jobs".formatted(done, jobs));
            }
            return jobs / seconds;
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private void drain(Connection connection) throws SQLException {
        try (PreparedStatement lease = connection.prepareStatement(LEASE);
                PreparedStatement done = connection.prepareStatement(DONE)) {
            List<Long> ids = new ArrayList<>();
            do {
                ids.clear();
                try (ResultSet rows = lease.executeQuery()) {
                    while (rows.next()) {
                        ids.add(rows.getLong(1));
                        read.add(rows.getString(2).length());
                    }
                }
                connection.commit();
                if (!ids.isEmpty()) {
                    done.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
                    done.executeUpdate();
                    connection.commit();
                    doneNanos.set(System.nanoTime());
                }
            } while (!ids.isEmpty());
        }
    }
}
