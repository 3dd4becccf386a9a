package dev.oneroof.postgres.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.25S, 250ms",
        "PT1.5S, 1500ms",
        "PT30S, 30s",
        "PT90S, 90s",
        "PT10M, 10m",
        "PT90M, 90m",
        "PT2H, 2h",
        "PT25H, 25h",
        "P1D, 1d",
        "PT744H, 31d",
        "PT-5S, -5s",
        "PT-0.5S, -500ms",
        "PT0.0000015S, 0.0000015s"
    })
    void isWrittenAsAPersonWould(Duration duration, String written) {
        assertThat(DurationText.of(duration)).isEqualTo(written);
    }

    @Test
    void hasAWordForTheLongestToo() {
        assertThat(DurationText.of(ChronoUnit.FOREVER.getDuration())).isEqualTo("9223372036854775807.999999999s");
    }
}
