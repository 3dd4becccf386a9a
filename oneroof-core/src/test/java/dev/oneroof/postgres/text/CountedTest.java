package dev.oneroof.postgres.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountedTest {
    @ParameterizedTest
    @CsvSource({"0, 0 rows", "1, 1 row", "2, 2 rows", "1000, 1000 rows"})
    void onlyOneIsSingular(long count, String written) {
        assertThat(Counted.of(count, "row")).isEqualTo(written);
    }
}
