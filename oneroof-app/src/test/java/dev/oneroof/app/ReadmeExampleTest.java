package dev.oneroof.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The README's Java, run; and the proof that it is the same text. */
@OneRoofTest
class ReadmeExampleTest {
    private static final Path ROOT = Path.of(System.getProperty("oneroof.test.root"));
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void runs(TestDatabase database, Given given) {
        given.births(2500);
        database.run("CREATE TABLE public.known_code (code text)");
        database.run("CREATE TABLE public.bill (code text, payer text)");

        example(
                database.dataSource(),
                () -> Await.patiently()
                        .until(
                                "a code and a bill for every birth",
                                () -> database.value(Long.class, "SELECT count(*) FROM public.known_code") == 2500
                                        && database.value(Long.class, "SELECT count(*) FROM public.bill") == 2500));

        assertThat(database.value(Long.class, """
                        SELECT count(*)
                        FROM birth_registry b
                        JOIN public.known_code k ON k.code = b.entity_code
                        JOIN public.bill ON bill.code = b.entity_code AND bill.payer = b.actor_ref
                        """)).isEqualTo(2500);
    }

    @Test
    void isTheTextOfTheReadme() throws IOException {
        Matcher block = JAVA_BLOCK.matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(block.find()).isTrue();
        Path source = ROOT.resolve("oneroof-app/src/test/java")
                .resolve(getClass().getName().replace('.', '/') + ".java");

        assertThat(dense(Files.readString(source))).contains(dense(block.group(1)));
    }

    private static void example(DataSource dataSource, Runnable untilShutdown) {
        // A migrated database, and a DataSource that logs in to it.
        TailSource births = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ);

        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("billing-1"), dataSource)) {
            oneroof.register(births).forEach(System.err::println); // an index that is missing, say

            // Row by row in Java …
            oneroof.tail("biller", "births")
                    .reading("entity_code", "actor_ref")
                    .eachRow((tx, row) -> tx.update("INSERT INTO public.bill (code, payer) VALUES (:code, :payer)")
                            .bind("code", row.string("entity_code"))
                            .bind("payer", row.string("actor_ref"))
                            .execute());

            // … or a batch in one statement, and no row leaves the server.
            oneroof.tail("copier", "births")
                    .reading("entity_code")
                    .bySql("INSERT INTO public.known_code (code) SELECT entity_code FROM page");

            oneroof.start();
            untilShutdown.run();
        }
    }

    private static String dense(String text) {
        return text.replaceAll("\\s+", "");
    }
}
