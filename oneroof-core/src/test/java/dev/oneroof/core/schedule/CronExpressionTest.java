package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.OneRoofException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronExpressionTest {
    private static final String BERLIN = "Europe/Berlin";
    // The clocks of Berlin go from 2 to 3 on 29 March 2026 at 01:00 UTC, and from 3 to 2 on 25 October at 01:00 UTC.
    private static final String BEFORE_SPRING = "2026-03-28T12:00:00Z";
    private static final String BEFORE_AUTUMN = "2026-10-24T12:00:00Z";

    @Test
    void aTimeThatTheClockLeavesOutIsDueAtTheChange() {
        assertThat(times("30 2 * * *", BERLIN, BEFORE_SPRING, 3))
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z");
    }

    @Test
    void timesThatTheClockLeavesOutAreDueOnceTogether() {
        assertThat(times("*/20 2,3 * * *", BERLIN, BEFORE_SPRING, 4))
                .containsExactly(
                        "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z");
    }

    @Test
    void aTimeThatComesTwiceIsDueTheFirstTime() {
        assertThat(times("30 2 * * *", BERLIN, BEFORE_AUTUMN, 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(times("0,59 2 * * *", BERLIN, BEFORE_AUTUMN, 3))
                .containsExactly("2026-10-25T00:00:00Z", "2026-10-25T00:59:00Z", "2026-10-26T01:00:00Z");
    }

    @Test
    void whoAsksWithinTheHourThatComesTwiceIsNotToldTheFirstOnesAgain() {
        assertThat(times("30 2 * * *", BERLIN, "2026-10-25T01:10:00Z", 1)).containsExactly("2026-10-26T01:30:00Z");
        assertThat(times("15 3 * * *", BERLIN, "2026-10-25T01:10:00Z", 1)).containsExactly("2026-10-25T02:15:00Z");
        assertThat(times("0 3 * * *", BERLIN, "2026-10-25T01:10:00Z", 1)).containsExactly("2026-10-25T02:00:00Z");
    }

    @Test
    void everyHourGoesOnAtItsPaceOverBothChanges() {
        assertThat(times("30 * * * *", BERLIN, "2026-03-28T23:00:00Z", 4))
                .containsExactly(
                        "2026-03-28T23:30:00Z", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
        assertThat(times("30 * * * *", BERLIN, "2026-10-24T23:00:00Z", 4))
                .containsExactly(
                        "2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
        assertThat(times("*/30 * * * *", BERLIN, "2026-03-29T00:15:00Z", 3))
                .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z");
    }

    @Test
    void allHoursAreAPaceHoweverTheyAreWritten() {
        for (String cron : List.of("30 0-23 * * *", "30 */1 * * *", "30 12-23,0-11 * * *")) {
            assertThat(times(cron, BERLIN, "2026-10-25T00:00:00Z", 3))
                    .as(cron)
                    .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
        }
        assertThat(times("30 */2 * * *", BERLIN, "2026-10-25T00:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T03:30:00Z");
    }

    @Test
    void aDayThatBeginsLaterHasItsMidnightAtTheChange() {
        // In Beirut the clocks go from 0 to 1.
        assertThat(times("0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", 2))
                .containsExactly("2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z");
    }

    @Test
    void aChangeOfHalfAnHourIsFollowed() {
        // On Lord Howe the clocks go from 2 to 1:30 on 5 April 2026 at 15:00 UTC the day before.
        assertThat(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", 2))
                .containsExactly("2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z");
    }

    @Test
    void everyDayOfAYearHasItsTimeOnce() {
        List<String> times = times("30 2 * * *", BERLIN, "2025-12-31T23:00:00Z", 365);

        assertThat(times.stream()
                        .map(time -> Instant.parse(time)
                                .atZone(ZoneId.of(BERLIN))
                                .toLocalDate()
                                .toString()))
                .doesNotHaveDuplicates()
                .startsWith("2026-01-01")
                .endsWith("2026-12-31");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 0 13 * 5 | 2026-01-02T00:00:00Z",
                "0 0 * * 7 | 2026-01-04T00:00:00Z",
                "0 0 * * 0 | 2026-01-04T00:00:00Z",
                "0 0 * * MON-FRI | 2026-01-02T00:00:00Z",
                "0 0 29 2 * | 2028-02-29T00:00:00Z",
                "0 0 L * * | 2026-01-31T00:00:00Z",
                "0 0 * * 5#2 | 2026-01-09T00:00:00Z",
                "*/15 9-17 * * * | 2026-01-01T09:00:00Z",
                "@daily | 2026-01-02T00:00:00Z",
                "@hourly | 2026-01-01T01:00:00Z",
                "@weekly | 2026-01-04T00:00:00Z",
                "@yearly | 2027-01-01T00:00:00Z",
                "*/10 * * * * * | 2026-01-01T00:00:10Z",
            })
    void readsWhatCrontabsHold(String cron, String next) {
        assertThat(times(cron, "UTC", "2026-01-01T00:00:00Z", 1)).containsExactly(next);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "*",
                "* * * *",
                "* * * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 8",
                "*/0 * * * *",
                "*/90 * * * *",
                "5-1 * * * *",
                "-1 * * * *",
                "a b c d e",
                "0 0 30 2 *",
                "0 0 31 4,6,9,11 *",
                "@reboot",
                "0 0 15,L * *",
                "0 0 L,15 * *",
                "0 0 * * 5#",
                "@",
                "1;DROP * * * *",
                "99999999999999999999 * * * *",
                "* * * * *\u0000",
                "٣ * * * *"
            })
    void refusesWhatIsNoExpressionOrNeverDue(String cron) {
        assertThatThrownBy(() -> CronExpression.of(cron, "UTC"))
                .isInstanceOf(OneRoofException.class)
                .hasMessageStartingWith("cron: '")
                .hasMessageContaining("allowed");
    }

    @Test
    void refusesAnExpressionWithoutEnd() {
        assertThatThrownBy(() -> CronExpression.of("1,".repeat(5000) + "1 * * * *", "UTC"))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining("1 to 200 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Mars/Olympus", "Europe/Berlin'", "../etc/passwd"})
    void refusesAZoneThatIsNone(String zone) {
        assertThatThrownBy(() -> CronExpression.of("* * * * *", zone))
                .isInstanceOf(OneRoofException.class)
                .hasMessage(
                        "zone: '%s' is not allowed; allowed is the name of a time zone, such as UTC or Europe/Berlin"
                                .formatted(zone));
    }

    private static List<String> times(String cron, String zone, String after, int count) {
        return Schedules.times(CronExpression.of(cron, zone), Instant.parse(after), count).stream()
                .map(Instant::toString)
                .toList();
    }
}
