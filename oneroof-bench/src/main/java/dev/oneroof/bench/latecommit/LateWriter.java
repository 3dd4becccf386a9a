package dev.oneroof.bench.latecommit;

import dev.oneroof.core.worker.Waiting;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** One session that writes to both sources, in every way in which a commit can come late. */
final class LateWriter implements Runnable {
    private static final int PERCENT = 100;

    private final DataSource extended;
    private final DataSource simple;
    private final Commits commits;
    private final Waiting stop;
    private final SplittableRandom random;
    private final int number;
    private int prepared;

    LateWriter(
            DataSource extended,
            DataSource simple,
            Commits commits,
            Waiting stop,
            SplittableRandom random,
            int number) {
        this.extended = extended;
        this.simple = simple;
        this.commits = commits;
        this.stop = stop;
        this.random = random;
        this.number = number;
    }

    @Override
    public void run() {
        try (Connection connection = extended.getConnection();
                Connection messages = simple.getConnection()) {
            connection.setAutoCommit(false);
            while (!stop.isStopped()) {
                write(connection, messages, random.nextInt(PERCENT));
                pause(1, 15);
            }
        } catch (SQLException | IOException e) {
            throw new IllegalStateException("writer " + number + " failed", e);
        }
    }

    private void write(Connection connection, Connection messages, int kind) throws SQLException, IOException {
        List<Long> rows = LongStream.rangeClosed(0, random.nextInt(3))
                .map(i -> commits.mark())
                .boxed()
                .toList();
        Instant begun = Instant.now();
        if (kind < 55) {
            insert(connection, rows);
        } else if (kind < 60) {
            insert(connection, rows);
            pause(200, 1800);
        } else if (kind < 66) {
            // Reads first, and gets its transaction number late.
            execute(connection, "SELECT count(*) FROM (SELECT FROM oneroof_late.by_sequence LIMIT 1) r");
            pause(1, 1000);
            insert(connection, rows);
        } else if (kind < 72) {
            drawEarlyInsertLate(connection, rows);
        } else if (kind < 78) {
            rows = withSavepoints(connection, rows);
        } else if (kind < 82) {
            insert(connection, rows);
            connection.rollback();
            return;
        } else if (kind < 86) {
            prepare(connection, rows, begun);
            return;
        } else if (kind < 90) {
            copy(connection, rows);
        } else if (kind < 94) {
            twoInOneMessage(messages, rows, begun);
            return;
        } else if (kind < 97) {
            chain(messages, rows, begun);
            return;
        } else {
            dated(connection, rows);
            connection.commit();
            committed(rows, begun, true);
            return;
        }
        connection.commit();
        committed(rows, begun, false);
    }

    private void insert(Connection connection, List<Long> rows) throws SQLException {
        execute(connection, inserts(rows));
    }

    private void drawEarlyInsertLate(Connection connection, List<Long> rows) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet drawn = statement.executeQuery(
                        "SELECT nextval('oneroof_late.by_sequence_id_seq') FROM generate_series(1, %d)"
                                .formatted(rows.size()))) {
            while (drawn.next()) {
                ids.add(drawn.getLong(1));
            }
        }
        pause(1, 1000);
        for (int i = 0; i < rows.size(); i++) {
            execute(
                    connection,
                    "INSERT INTO oneroof_late.by_clock (mark) VALUES (%1$d); INSERT INTO oneroof_late.by_sequence (id, mark) VALUES (%2$d, %1$d)"
                            .formatted(rows.get(i), ids.get(i)));
        }
    }

    private List<Long> withSavepoints(Connection connection, List<Long> rows) throws SQLException {
        List<Long> kept = new ArrayList<>();
        for (Long row : rows) {
            execute(connection, "SAVEPOINT s");
            insert(connection, List.of(row));
            if (random.nextInt(3) == 0) {
                execute(connection, "ROLLBACK TO SAVEPOINT s");
            } else {
                execute(connection, "RELEASE SAVEPOINT s");
                kept.add(row);
            }
        }
        return kept;
    }

    private void prepare(Connection connection, List<Long> rows, Instant begun) throws SQLException {
        String gid = "late-%d-%d".formatted(number, ++prepared);
        insert(connection, rows);
        execute(connection, "PREPARE TRANSACTION '%s'".formatted(gid));
        connection.commit();
        pause(1, 800);
        connection.setAutoCommit(true);
        execute(connection, "COMMIT PREPARED '%s'".formatted(gid));
        connection.setAutoCommit(false);
        committed(rows, begun, false);
    }

    private static void copy(Connection connection, List<Long> rows) throws SQLException, IOException {
        String lines = rows.stream().map(String::valueOf).collect(Collectors.joining("\n", "", "\n"));
        var copies = connection.unwrap(PGConnection.class).getCopyAPI();
        copies.copyIn("COPY oneroof_late.by_clock (mark) FROM STDIN", new StringReader(lines));
        copies.copyIn("COPY oneroof_late.by_sequence (mark) FROM STDIN", new StringReader(lines));
    }

    /** Both bear the time of the message; the second begins when the first, slow one has ended. */
    private void twoInOneMessage(Connection messages, List<Long> rows, Instant begun) throws SQLException {
        List<Long> second = List.of(commits.mark());
        execute(
                messages,
                "BEGIN; %s; SELECT pg_sleep(%s); COMMIT; BEGIN; %s; COMMIT"
                        .formatted(inserts(rows), random.nextDouble(0.1, 1.5), inserts(second)));
        committed(rows, begun, false);
        committed(second, begun, false);
    }

    private void chain(Connection messages, List<Long> rows, Instant begun) throws SQLException {
        List<Long> second = List.of(commits.mark());
        execute(messages, "BEGIN; %s; COMMIT AND CHAIN; %s".formatted(inserts(rows), inserts(second)));
        pause(1, 500);
        execute(messages, "COMMIT");
        committed(rows, begun, false);
        committed(second, begun, false);
    }

    private static void dated(Connection connection, List<Long> rows) throws SQLException {
        for (Long row : rows) {
            execute(
                    connection,
                    "INSERT INTO oneroof_late.by_clock (created_at, mark) VALUES (now() + interval '4 s', %1$d); INSERT INTO oneroof_late.by_sequence (mark) VALUES (%1$d)"
                            .formatted(row));
        }
    }

    private static String inserts(List<Long> rows) {
        String values = rows.stream().map(row -> "(" + row + ")").collect(Collectors.joining(", "));
        return "INSERT INTO oneroof_late.by_clock (mark) VALUES %1$s; INSERT INTO oneroof_late.by_sequence (mark) VALUES %1$s"
                .formatted(values);
    }

    private void committed(List<Long> rows, Instant begun, boolean dated) {
        Instant now = Instant.now();
        boolean brief = Duration.between(begun, now).compareTo(Duration.ofSeconds(1)) < 0;
        commits.add(rows, new Commits.Commit(now, brief, dated));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A transaction that sleeps goes on sleeping when the trial stops: its row counts as well. */
    private void pause(int leastMillis, int mostMillis) {
        new Waiting().pause(Duration.ofMillis(random.nextInt(leastMillis, mostMillis + 1)));
    }
}
