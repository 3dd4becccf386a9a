package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.config.ConfigFlags;
import dev.oneroof.app.config.ConfigLoader;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The password of a URL is repeated nowhere, whatever is wrong with the URL. */
@OneRoofTest
class UrlSecretsTest {
    private static final String SECRET = "hunter2Hunter2";

    @TempDir
    Path folder;

    /** A dollar stands for the secret, or for a piece of it. */
    static Stream<String> malformed() {
        return Stream.of(
                        "postgres://ann:$@host:54x32/reg",
                        "postgres://ann:$@host:99999/reg",
                        "postgres://ann:$@host:/reg",
                        "postgres://ann:$/reg",
                        "postgres://ann:$",
                        "postgres://ann:$?sslmode=require",
                        "postgres://ann:$@ho st/reg",
                        "postgres://ann:$ @host/reg",
                        "postgres://ann:p $@host/reg",
                        "postgres://ann:%$@host/reg",
                        "postgres://ann:$%@host/reg",
                        "postgres://ann:$%zz@host/reg",
                        "postgres://ann:$%00@host/reg",
                        "postgres://ann:$%ff@host/reg",
                        "postgres://ann:pa@$@host/reg",
                        "postgres://ann:$@pa@host",
                        "postgres://ann:pa/$@host/reg",
                        "postgres://ann:1/$@host/reg",
                        "postgres://ann:pa?$@host/reg",
                        "postgres://ann:1?$=x@host/reg",
                        "postgres://ann:pa#$@host:x/reg",
                        "postgres://$@host:x/reg",
                        "postgres://ann:$@ho,st/reg?x=y",
                        "postgres://ann:$@[::1/reg",
                        "postgres://ann:$@%2Ftmp/reg",
                        "postgres://ann:$@host/re/g",
                        "postgres://ann:$@host/reg?nosuch=1",
                        "postgres://ann:$@host/reg?sslmode=perhaps",
                        "postgres://ann:$@host/reg?connect_timeout=soon",
                        "postgres://ann:$@host/reg?sslmode",
                        "postgres://host/reg?password=$&x",
                        "postgres://host/reg?password=pa&$=1",
                        "postgres://host/reg?password=pa&$",
                        "postgres://host/reg?PASSWORD=$",
                        "postgres://host/reg?Password=$&sslmode=perhaps",
                        "postgres://host/reg?pass%77ord=$&nosuch=1",
                        "postgres://host/reg?sslpassword=$",
                        "postgres://host/reg?pwd=$",
                        "postgres://host:x/reg?user=ann&password=$",
                        "jdbc:postgresql://ann:$@host:x/reg",
                        "jdbc:postgresql://host:x/reg?user=ann&password=$",
                        "jdbc:postgresql:reg?user=ann&password=$",
                        "jdbc:jdbc:postgresql://ann:$@host/reg",
                        "mysql://ann:$@host/reg",
                        "postgres:/ann:$@host/reg",
                        "ann:$@host/reg",
                        "host=h user=ann password=$",
                        "POSTGRES://ann:$@host/reg",
                        " postgres://ann:$@host/reg",
                        "postgres://ann:$@host/reg\n")
                .map(url -> url.replace("$", SECRET));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void keepsItOutOfEveryMessage(String url) throws IOException {
        Path file = Files.writeString(folder.resolve("c.yaml"), "db:\n  url: '%s'\n".formatted(url));

        List.of(
                        new Oneroof(folder).with("ONEROOF_DB_URL", url).run("db", "status"),
                        new Oneroof(folder).with("ONEROOF_DB_URL", url).run("db", "status", "--json"),
                        new Oneroof(folder).with("DATABASE_URL", url).run("status"),
                        new Oneroof(folder).run("db", "status", "--db", url),
                        new Oneroof(folder).run("db", "status", "--config", file.toString()))
                .forEach(answer -> assertRefused(answer, 2));
        Files.delete(file);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void keepsItOutOfTheExceptionAndItsCauses(String url) {
        StringWriter trace = new StringWriter();
        try {
            new ConfigLoader(Map.of("ONEROOF_DB_URL", url), ConfigFlags.NONE).load();
        } catch (RuntimeException e) {
            e.printStackTrace(new PrintWriter(trace));
        }

        assertThat(trace.toString()).isNotEmpty();
        assertHidden(trace.toString());
    }

    @Test
    void keepsItOutWhereNoUrlIsExpected() throws IOException {
        String url = "postgres://ann:%s@host/reg".formatted(SECRET);
        for (String yaml : List.of(
                "db:\n  url: ['%s']\n",
                "db: '%s': x\n",
                "db:\n  url: %s: x\n",
                "db:\n  '%s': x\n",
                "'%1$s': 1\n'%1$s': 2\n",
                "- '%s'\n",
                "'%s'\n")) {
            Path file = Files.writeString(folder.resolve("c.yaml"), yaml.formatted(url));
            assertRefused(new Oneroof(folder).run("db", "status", "--config", file.toString()), 2);
        }

        assertRefused(new Oneroof(folder).run("db", "status", url), 2);
        assertRefused(new Oneroof(folder).run("db", "status", "--dbb=" + url), 2);
        assertRefused(new Oneroof(folder).run("demo", "--once", "--rows", url), 2);
        assertRefused(new Oneroof(folder).run(url), 2);
    }

    @Test
    void keepsItOutOfTheLogAtDebug(TestDatabase database) {
        String valid = Oneroof.url(database, database.address().user())
                .replace("@", ":%s@".formatted(database.address().password()));
        Oneroof.Answer answer = new Oneroof(folder)
                .with("ONEROOF_DB_URL", valid)
                .with("ONEROOF_LOG_LEVEL", "DEBUG")
                .runAsProcess("status");
        Oneroof.Answer malformed = new Oneroof(folder)
                .with("ONEROOF_DB_URL", "postgres://ann:%s@host:x/reg".formatted(SECRET))
                .with("ONEROOF_LOG_LEVEL", "DEBUG")
                .runAsProcess("status");

        assertThat(answer.err()).contains("DEBUG");
        assertThat(answer.out() + answer.err())
                .doesNotContain(database.address().password());
        assertRefused(malformed, 2);
    }

    private static void assertRefused(Oneroof.Answer answer, int exit) {
        assertThat(answer.err()).isNotEmpty().doesNotContain("internal error", "\tat ");
        assertHidden(answer.out() + answer.err());
        assertThat(answer.exit()).isEqualTo(exit);
    }

    private static void assertHidden(String text) {
        assertThat(text.toLowerCase(Locale.ROOT)).doesNotContain(SECRET.toLowerCase(Locale.ROOT));
    }
}
