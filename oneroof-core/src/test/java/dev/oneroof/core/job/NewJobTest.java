package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .hasMessage(message)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT));
    }
}
