package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

@OneRoofTest
class JobFingerprintTest {
    private record Messages(String one, String other) {}

    @Test
    void isTheSameForOneCause(TestDatabase database) {
        assertThat(List.of(
                        new Messages("can't open 'a.txt'", "can't open 'b.txt'"),
                        new Messages("the jobs' file 'a.txt' isn't there", "the jobs' file 'b.txt' isn't there"),
                        new Messages("'a.txt' is gone", "'b.txt' is gone"),
                        new Messages("('a') \"b\"", "('c') \"d\""),
                        new Messages(
                                "no such row: \"" + "ab".repeat(300) + '"', "no such row: \"" + "cd".repeat(300) + '"'),
                        new Messages(
                                "no such row: '" + "ab".repeat(300) + "'", "no such row: '" + "cd".repeat(300) + "'"),
                        new Messages("near 'a, which was cut", "near 'b, which was"),
                        new Messages("no file /data/a1b2c3.bin", "no file /data/ffee99.bin"),
                        new Messages("no file /data/in_a1b2c3.bin", "no file /data/in_123456.bin"),
                        new Messages("Foo@1a2b3c is closed", "Foo@77ac1f is closed"),
                        new Messages("Foo@1a2b3c is closed", "Foo@abcdef is closed"),
                        new Messages("Foo@7", "Foo@a"),
                        new Messages("at 0x7ffe12ab", "at 0xdeadbeef"),
                        new Messages("digest 9f86d081884c7d65", "digest 60303ae22b998861")))
                .allSatisfy(both ->
                        assertThat(fingerprint(database, both.one())).isEqualTo(fingerprint(database, both.other())));
    }

    @Test
    void isAnotherForAnotherCause(TestDatabase database) {
        assertThat(List.of(
                        new Messages("can't open 'a.txt'", "won't open 'a.txt'"),
                        new Messages("it's his, it's hers", "it's mine, it's hers"),
                        new Messages("facade is closed", "decade is closed"),
                        new Messages("cafe7 is closed", "beef7 is closed"),
                        new Messages("a mail to ann@example", "a mail to ann@elsewhere")))
                .allSatisfy(both -> assertThat(fingerprint(database, both.one()))
                        .isNotEqualTo(fingerprint(database, both.other())));
    }

    private static String fingerprint(TestDatabase database, String message) {
        return database.value(String.class, "SELECT oneroof.fn_job_fingerprint('mark_file', 'x', ?)", message);
    }
}
