package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every trial stands on this verdict: it must see what it is there to see. */
@OneRoofTest
class VerdictTest {
    private final TrialTables tables = new TrialTables("oneroof_verdict");

    @SuppressWarnings("NullAway.Init")
    private TestDatabase database;

    @SuppressWarnings("NullAway.Init")
    private Database owner;

    @SuppressWarnings("NullAway.Init")
    private TailSource source;

    @BeforeEach
    void writeThreeRows(TestDatabase own) {
        database = own;
        owner = new Database(Connections.plain(TrialDatabase.of(own), "trial owner"), SchemaName.DEFAULT);
        tables.create(owner, SchemaConfig.DEFAULT.roles().server());
        source = tables.register(owner, TrialTables.Kind.SEQUENCE_STRICT).getFirst();
        own.run("INSERT INTO oneroof_verdict.by_sequence (mark) SELECT generate_series(1, 3)");
    }

    @Test
    void holdsWhenEveryRowIsHandledOnceAndInOrder() {
        handle(7, 1, 2);
        handle(8, 3);

        assertThat(broken()).isEmpty();
    }

    @Test
    void seesALostRow() {
        handle(7, 1, 3);

        assertThat(broken()).containsExactly("sequence strict: lost");
    }

    @Test
    void seesARowThatIsHandledTwice() {
        handle(7, 1, 2, 2, 3);

        assertThat(broken()).containsExactly("sequence strict: handled twice");
    }

    @Test
    void seesARowThatWasNeverThere() {
        handle(7, 1, 2, 3, 4);

        assertThat(broken()).containsExactly("sequence strict: handled though never committed");
    }

    @Test
    void seesARowThatIsHandledBeforeALowerOne() {
        handle(7, 1, 3, 2);

        assertThat(broken()).containsExactly("sequence strict: out of order");
    }

    @Test
    void seesAnOwnerThatCommitsAfterItsSuccessorHasBegun() throws SQLException {
        try (Connection lost = database.connect();
                Statement statement = lost.createStatement()) {
            lost.setAutoCommit(false);
            statement.execute(handled(7, 1));
            handle(8, 2, 3);
            lost.commit();
        }

        assertThat(broken()).containsExactly("sequence strict: commits by a lost owner");
    }

    private void handle(long epoch, long... marks) {
        for (long mark : marks) {
            database.run(handled(epoch, mark));
        }
    }

    private String handled(long epoch, long mark) {
        return """
                INSERT INTO oneroof_verdict.handled (tail, mark, session, xid, sees, at)
                VALUES ('%s', %d, oneroof.fn_session_name(%d), pg_current_xact_id(), pg_current_snapshot(), now())
                """.formatted(source.name(), mark, epoch);
    }

    private java.util.List<String> broken() {
        return new Verdict(tables, owner)
                .figures(source).stream()
                        .filter(figure -> !figure.holds())
                        .map(Figure::name)
                        .toList();
    }
}
