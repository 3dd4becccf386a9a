package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
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

    @Test
    void tellsTheSameOfAPlainStatement(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);

        Throwable thrown = catchThrowable(() ->
                db.<Boolean>inTx(tx -> tx.plain("SELECT 1 / CAST(? AS integer)\n FROM known", statement -> {
                    statement.setString(1, "Ann Other");
                    return statement.execute();
                })));

        assertThat(thrown)
                .isInstanceOf(JdbiException.class)
                .hasMessageContaining("\"known\"")
                .hasMessageContaining("[in: SELECT 1 / CAST(? AS integer) FROM known]")
                .hasMessageNotContaining("Ann Other");
        assertThat(SqlState.of(thrown)).isEqualTo("42P01");
    }

    /** As connections of a pool that keeps its transactions to itself do. */
    @Test
    void commitsAStatementAlsoWhereTheConnectionWillNotDoSoByItself(TestDatabase database) {
        database.run("CREATE TABLE public.kept (no integer)");
        DataSource real = database.dataSource();
        DataSource stubborn = proxy(DataSource.class, (method, given) -> {
            Object answer = method.invoke(real, given);
            return answer instanceof Connection connection ? stubborn(connection) : answer;
        });

        boolean isRow = new Database(stubborn, SchemaName.DEFAULT)
                .inStatement(tx -> tx.plain("INSERT INTO public.kept VALUES (1)", statement -> statement.execute()));

        assertThat(isRow).isFalse();
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.kept"))
                .isEqualTo(1);
    }

    private static Connection stubborn(Connection real) throws SQLException {
        real.setAutoCommit(false);
        return proxy(Connection.class, (method, given) -> {
            if (method.getName().equals("setAutoCommit") && given[0].equals(true)) {
                throw new SQLException("not here");
            }
            return method.invoke(real, given);
        });
    }

    private interface Call {
        @Nullable
        Object made(Method method, Object[] given) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                DatabaseTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, given) -> call.made(method, given)));
    }

    @Test
    void turnsAPlainStatementToItsSchema(TestDatabase database) {
        database.run("CREATE SCHEMA other");
        database.run("CREATE TABLE other.job_queue (no integer)");
        database.run("INSERT INTO other.job_queue VALUES (7)");
        Database db = new Database(database.dataSource(), new SchemaName("other"));

        int found = db.inTx(tx -> tx.plain("SELECT no FROM oneroof.job_queue WHERE no > ?", statement -> {
            statement.setInt(1, 6);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }));

        assertThat(found).isEqualTo(7);
    }
}
