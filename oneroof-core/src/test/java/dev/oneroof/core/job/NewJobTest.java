package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NewJobTest {
    private static final NewJob JOB = NewJob.of("mark_file", Payload.EMPTY);

    @Test
    void refusesTextsThatTheDatabaseCannotHold() {
        assertRefused(() -> JOB.once("a\0b"), "key: 'a\\u0000b' is not allowed; allowed are texts without NUL");
        assertRefused(
                () -> NewJob.of("mark\0", Payload.EMPTY),
                "kind: 'mark\\u0000' is not allowed; allowed are texts without NUL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+10000-01-01T00:00:00Z", "+1000000000-12-31T23:59:59.999999999Z", "0000-12-31T23:59:59Z"})
    void refusesTimesThatTheDatabaseCannotHold(String at) {
        assertRefused(
                () -> JOB.notBefore(Instant.parse(at)),
                "at: '%s' is not allowed; allowed are times of the years 1 to 9999".formatted(at));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"})
    void takesTimesOfAnyYearThatHasFourDigits(String at) {
        assertThat(JOB.notBefore(Instant.parse(at)).at()).isEqualTo(at);
    }

    @Test
    void refusesKeysThatAreEmptyOrTooLong() {
        assertRefused(() -> JOB.once(""), "key: '' of 0 bytes is not allowed; allowed are 1 to 500 bytes");
        assertRefused(
                () -> JOB.once("é".repeat(251)),
                "key: '%s' of 502 bytes is not allowed; allowed are 1 to 500 bytes".formatted("é".repeat(80)));
        assertThat(JOB.once("é".repeat(250)).key()).hasSize(250);
    }

    @ParameterizedTest
    @CsvSource({"PT-0.001S, -1ms", "PT24000000H0.001S, 86400000000001ms", "PT24000024H, 1000001d"})
    void refusesDelaysThatCannotBe(Duration in, String written) {
        assertRefused(
                () -> JOB.in(in), "in: '%s' is not allowed; allowed are times from 0s to 1000000d".formatted(written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT24000000H"})
    void takesDelaysOfAnyLengthThatEndsInAYearOfFourDigits(Duration in) {
        assertThat(JOB.in(in).in()).isEqualTo(in);
    }

    @Test
    void keepsWhatWasSaidLastOfItsTime() {
        Instant noon = Instant.parse("2030-01-01T12:00:00Z");
        Duration hour = Duration.ofHours(1);

        assertThat(JOB.in(hour).notBefore(noon)).isEqualTo(JOB.notBefore(noon));
        assertThat(JOB.notBefore(noon).in(hour)).isEqualTo(JOB.in(hour));
        assertRefused(
                () -> new NewJob("mark_file", Payload.EMPTY, null, 0, noon, hour, null, null),
                "in: '1h' is not allowed together with at '2030-01-01T12:00:00Z'; allowed is one of them");
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .hasMessage(message)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT));
    }
}
