package dev.oneroof.core.sqlworker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class SqlWorkersTest {
    private static final Scope COPIER = Scope.of("copier", "births");
    private static final OperatorAct BY = new OperatorAct("ann", "a test");
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ)
            .inBatchesOf(100)
            .polledEvery(Duration.ofMillis(20));

    @OnEveryServer
    void runsChangesAndRemovesWorkersOfRunningInstances(TestDatabase database, Given given) {
        given.births(250);
        database.run("CREATE TABLE public.copy (code text, by text)");
        try (OneRoof first = open(database, "a");
                OneRoof second = open(database, "b")) {
            first.register(BIRTHS);
            first.start();
            second.start();
            SqlWorkers workers = workers(database);

            workers.add(draft("INSERT INTO public.copy SELECT entity_code, 'first' FROM page -- a comment\n;"), BY);
            awaitCopies(database, 250);

            workers.alter(draft("INSERT INTO public.copy SELECT entity_code, 'second' FROM page"), BY);
            Await.patiently().until("a copy by the second statement", () -> {
                bear(database, 1);
                return count(database, "WHERE by = 'second'") > 0;
            });
            long born = database.value(Long.class, "SELECT count(*) FROM public.birth_registry");
            awaitCopies(database, born);

            workers.remove(COPIER, false, BY);
            Await.patiently()
                    .until(
                            "no scope",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'copier/%'")
                                    == 0);
            bear(database, 10);
            assertThat(count(database, "")).isEqualTo(born);
            assertThat(workers.list()).isEmpty();

            workers.add(draft("INSERT INTO public.copy SELECT entity_code, 'third' FROM page"), BY);
            awaitCopies(database, born + 10);
        }
        assertThat(count(database, ""))
                .isEqualTo(database.value(Long.class, "SELECT count(DISTINCT code) FROM public.copy"));
        assertThat(database.list(row -> row.getString(1), "SELECT act FROM oneroof.operator_act ORDER BY act_id"))
                .contains("worker_add", "worker_alter", "worker_remove");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            INSERT INTO public.copy SELECT entity_code FROM page; DELETE FROM public.copy | without ';'
            INSERT INTO public.copy SELECT entity_code FROM page) SELECT 1 | closes a parenthesis
            CREATE TABLE public.x AS SELECT * FROM page                   | begins with 'CREATE'
            SELECT entity_code FROM page                                  | begins with 'SELECT'
            DROP TABLE public.copy                                        | begins with 'DROP'
            INSERT INTO public.copy SELECT entity_code FROM page RETURNING 1 | without RETURNING
            INSERT INTO public.copy VALUES ('x')                          | does not read the relation page
            INSERT INTO public.copy SELEC entity_code FROM page           | syntax error
            INSERT INTO public.copy SELECT nonsense FROM page             | "nonsense" does not exist
            INSERT INTO public.nowhere SELECT entity_code FROM page       | "public.nowhere" does not exist
            INSERT INTO oneroof.dot_config (key) SELECT entity_code FROM page | it writes oneroof.dot_config
            DELETE FROM oneroof.gov_worker_cursor USING page              | it writes oneroof.gov_worker_cursor
            INSERT INTO public.copy SELECT set_config('role', entity_code, false) FROM page | set_config, which is volatile
            INSERT INTO public.copy SELECT entity_code FROM page, pg_sleep(10) | pg_sleep, which is volatile
            INSERT INTO public.copy SELECT "set_config"('role', 'none', false) FROM page | set_config, which is volatile
            INSERT INTO public.copy SELECT concat(E'a\\'b', set_config('role', 'none', false)) FROM page | a backslash
            """)
    void refusesWhatCouldNotRunOrMustNot(String statement, String why, TestDatabase database, Given given) {
        database.run("CREATE TABLE public.copy (code text)");
        given.births(1);
        try (OneRoof oneroof = open(database, "a")) {
            oneroof.register(BIRTHS);
        }
        assertThatThrownBy(() -> workers(database).add(draft(statement), BY))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining("statement:")
                .hasMessageContaining(why);
        assertThat(workers(database).list()).isEmpty();
    }

    @Test
    void namesTheColumnThatTheSourceDoesNotHave(TestDatabase database, Given given) {
        given.births(1);
        try (OneRoof oneroof = open(database, "a")) {
            oneroof.register(BIRTHS);
        }
        SqlWorkerDraft draft =
                new SqlWorkerDraft(COPIER, List.of("colour"), "INSERT INTO public.x SELECT colour FROM page");
        assertThatThrownBy(() -> workers(database).add(draft, BY))
                .hasMessageContaining("reading: 'colour'")
                .hasMessageContaining("does not exist");
    }

    @Test
    void refusesASourceThatIsNotRegisteredAndANameThatIsTaken(TestDatabase database, Given given) {
        given.births(1);
        database.run("CREATE TABLE public.copy (code text)");
        SqlWorkers workers = workers(database);
        String statement = "INSERT INTO public.copy SELECT entity_code FROM page";
        assertThatThrownBy(() -> workers.add(draft(statement), BY)).hasMessageContaining("source: 'births'");
        try (OneRoof oneroof = open(database, "a")) {
            oneroof.register(BIRTHS);
        }
        workers.add(draft(statement), BY);
        assertThatThrownBy(() -> workers.add(draft(statement), BY))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
        assertThatThrownBy(() -> workers.remove(Scope.of("other", "births"), false, BY))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    private static SqlWorkerDraft draft(String statement) {
        return new SqlWorkerDraft(COPIER, List.of("entity_code"), statement);
    }

    private static SqlWorkers workers(TestDatabase database) {
        return new SqlWorkers(new Database(database.dataSource(), SchemaName.DEFAULT), new RoleNames(""));
    }

    private static OneRoof open(TestDatabase database, String instance) {
        return OneRoof.open(RuntimeConfig.named(instance), database.dataSource())
                .with(List.of(new SqlWorkersFeature()));
    }

    /** As an application does it: at the database's own time. */
    private static void bear(TestDatabase database, int births) {
        database.run("""
                INSERT INTO public.birth_registry (born_at, collection_name, entity_code)
                SELECT now(), 'orders', gen_random_uuid()::text FROM generate_series(1, ?)
                """, births);
    }

    private static void awaitCopies(TestDatabase database, long expected) {
        Await.patiently().until(expected + " copies", () -> count(database, "") >= expected);
        assertThat(count(database, "")).isEqualTo(expected);
    }

    private static long count(TestDatabase database, String where) {
        return database.value(Long.class, "SELECT count(*) FROM public.copy " + where);
    }
}
