package dev.oneroof.core.tail.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator may write as a time: one that is the same whoever reads it, and when. */
class TimeTypeTest {
    @ParameterizedTest
    @CsvSource({
        "2026-01-31T09:30:00Z, TIMESTAMPTZ",
        "2026-01-31T09:30Z, TIMESTAMPTZ",
        "2026-01-31T09:30:00.123456+05:30, TIMESTAMPTZ",
        "2026-01-31 09:30:00.5+00, TIMESTAMPTZ",
        "1880-01-31 09:30:00-00:01:15, TIMESTAMPTZ",
        "0044-03-15 12:00:00+00 BC, TIMESTAMPTZ",
        "12026-01-31 09:30:00+0530, TIMESTAMPTZ",
        "2026-01-31T09:30:00, TIMESTAMP",
        "2026-01-31 09:30:00.123456, TIMESTAMP",
        "2026-01-31, DATE",
    })
    void takesWhatIsWrittenOut(String text, TimeType type) {
        for (TimeType each : TimeType.values()) {
            assertThat(each.isWritten(text)).as(each.sql()).isEqualTo(each == type);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "yesterday",
                "today",
                "now",
                "tomorrow",
                "epoch",
                "infinity",
                "-infinity",
                "allballs",
                "01/02/2026",
                "20260131T093000Z",
                "2026-01-31T09:30:00 Europe/Rome",
                "2026-01-31T09:30:00.1234567Z",
                " 2026-01-31",
                "2026-01-31\n",
                ""
            })
    void takesNothingElseThatTheServerWouldRead(String text) {
        for (TimeType each : TimeType.values()) {
            assertThat(each.isWritten(text)).as(each.sql()).isFalse();
        }
    }
}
