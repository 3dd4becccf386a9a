package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

@OneRoofTest
class DatabaseTest {
    /** Messages go to logs and to {@code event_pending}; what is bound may be of a row. */
    @Test
    void tellsWhichStatementFailedAndNothingThatWasBoundToIt(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);

        Throwable thrown = catchThrowable(() -> db.useTx(
                tx -> tx.query("SELECT 1 / CAST(:nothing AS integer)\n FROM (SELECT CAST(:name AS text)) known")
                        .bind("nothing", "0")
                        .bind("name", "Ann Other")
                        .mapTo(Integer.class)
                        .one()));

        assertThat(thrown)
                .hasMessageContaining("division by zero")
                .hasMessageContaining("[in: SELECT 1 / CAST(:nothing AS integer) FROM")
                .hasMessageNotContaining("Ann Other");
        assertThat(SqlState.of(thrown)).isEqualTo("22012");
    }
}
