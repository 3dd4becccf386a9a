package dev.oneroof.bench.trials;

import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Sessions that keep writing to a trial's sources until they are closed: most commit at once, some late, some never. They
 * outlive a server that goes down, and keep no account of what they have committed: the tables know it.
 */
final class Writers implements AutoCloseable {
    private static final int PERCENT = 100;
    private static final int MOST_ROWS = 30;

    private final TrialTables tables;
    private final DataSource dataSource;
    private final Waiting stop = new Waiting();
    private final AtomicLong marks;
    private final List<Thread> threads = new ArrayList<>();

    Writers(TrialTables tables, DataSource dataSource) {
        this.tables = tables;
        this.dataSource = dataSource;
        this.marks = new AtomicLong();
    }

    /** Many rows at once, before anything runs: a backlog. */
    void backlog(long rows) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            write(connection, rows);
            connection.commit();
        }
    }

    Writers start(int writers, SplittableRandom random) {
        for (int number = 0; number < writers; number++) {
            SplittableRandom own = random.split();
            threads.add(Thread.ofPlatform().name("trial-writer-" + number).start(() -> keepWriting(own)));
        }
        return this;
    }

    private void keepWriting(SplittableRandom random) {
        while (!stop.isStopped()) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                while (!stop.isStopped()) {
                    transaction(connection, random);
                    stop.pause(Duration.ofMillis(random.nextInt(5, 60)));
                }
            } catch (SQLException e) {
                // The server is down, or the connection was cut; a trial may do that. Rows that were lost were not
                // committed.
                stop.pause(Duration.ofMillis(50));
            }
        }
    }

    private void transaction(Connection connection, SplittableRandom random) throws SQLException {
        int kind = random.nextInt(PERCENT);
        write(connection, random.nextInt(1, MOST_ROWS + 1));
        if (kind < 15) {
            stop.pause(Duration.ofMillis(random.nextInt(50, 400)));
        }
        if (kind >= 95) {
            connection.rollback();
        } else {
            connection.commit();
        }
    }

    private void write(Connection connection, long rows) throws SQLException {
        long last = marks.addAndGet(rows);
        try (Statement statement = connection.createStatement()) {
            statement.execute(tables.write(last - rows + 1, last));
        }
    }

    /** Lets every transaction come to its end. */
    @Override
    public void close() {
        stop.stop();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
