package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FirePlanTest {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
    private static final Recurrence HOURLY = CronExpression.of("0 * * * *", "UTC");
    private static final Recurrence EVERY_SECOND = new FixedInterval(Duration.ofSeconds(1), FIRST);

    @ParameterizedTest
    @EnumSource
    void oneThatIsOnTimeIsFired(CatchUp catchUp) {
        assertThat(FirePlan.of(HOURLY, catchUp, FIRST, FIRST.plusSeconds(5)))
                .isEqualTo(new FirePlan(List.of(FIRST), 0, FIRST.plusSeconds(3600)));
    }

    @Test
    void allOfTheMissedAreFired() {
        FirePlan times = FirePlan.of(HOURLY, CatchUp.ALL, FIRST, FIRST.plusSeconds(3 * 3600 + 1800));

        assertThat(times.fired())
                .containsExactly(FIRST, FIRST.plusSeconds(3600), FIRST.plusSeconds(7200), FIRST.plusSeconds(10_800));
        assertThat(times.missed()).isZero();
        assertThat(times.next()).isEqualTo(FIRST.plusSeconds(14_400));
    }

    @Test
    void ofManyMissedSoManyAreFiredAndTheRestIsDueStill() {
        FirePlan times = FirePlan.of(EVERY_SECOND, CatchUp.ALL, FIRST, FIRST.plusSeconds(100_000));

        assertThat(times.fired()).hasSize(FirePlan.BATCH);
        assertThat(times.next()).isEqualTo(FIRST.plusSeconds(FirePlan.BATCH));
    }

    @Test
    void theLastOfTheMissedIsFired() {
        assertThat(FirePlan.of(HOURLY, CatchUp.LAST, FIRST, FIRST.plusSeconds(3 * 3600 + 1800)))
                .isEqualTo(new FirePlan(List.of(FIRST.plusSeconds(10_800)), 3, FIRST.plusSeconds(14_400)));
    }

    @Test
    void noneOfTheMissedIsFired() {
        assertThat(FirePlan.of(HOURLY, CatchUp.SKIP, FIRST, FIRST.plusSeconds(3 * 3600 + 1800)))
                .isEqualTo(new FirePlan(List.of(), 4, FIRST.plusSeconds(14_400)));
        assertThat(FirePlan.of(HOURLY, CatchUp.SKIP, FIRST, FIRST.plusSeconds(3 * 3600 + 30)))
                .isEqualTo(new FirePlan(List.of(FIRST.plusSeconds(10_800)), 3, FIRST.plusSeconds(14_400)));
    }

    @ParameterizedTest
    @ValueSource(longs = {199, 200, 201, 202, 203, 1000, 31_000_000})
    void theLastOfVeryManyIsFoundWithoutCountingThem(long seconds) {
        Instant now = FIRST.plusSeconds(seconds).plusMillis(300);

        FirePlan times = FirePlan.of(EVERY_SECOND, CatchUp.LAST, FIRST, now);

        assertThat(times.fired()).containsExactly(FIRST.plusSeconds(seconds));
        assertThat(times.next()).isEqualTo(FIRST.plusSeconds(seconds + 1));
        assertThat(times.missed()).isLessThanOrEqualTo(201);
    }

    @Test
    void theLastOfVeryManyIsFoundOnACronToo() {
        Recurrence seconds = CronExpression.of("* * 3 * * *", "UTC");

        FirePlan times = FirePlan.of(
                seconds, CatchUp.LAST, Instant.parse("2020-01-01T03:00:00Z"), Instant.parse("2026-05-05T03:30:10.5Z"));

        assertThat(times.fired()).containsExactly(Instant.parse("2026-05-05T03:30:10Z"));
        assertThat(times.next()).isEqualTo(Instant.parse("2026-05-05T03:30:11Z"));
    }

    @Test
    void steadyTimesKeepTheirDistanceFromTheFirst() {
        FixedInterval times = new FixedInterval(Duration.ofSeconds(90), FIRST);

        assertThat(times.next(FIRST.minusSeconds(1000))).contains(FIRST);
        assertThat(times.next(FIRST)).contains(FIRST.plusSeconds(90));
        assertThat(times.next(FIRST.plusSeconds(91))).contains(FIRST.plusSeconds(180));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-5S", "PT0.5S", "PT1.001S", "PT10000H"})
    void refusesADistanceThatIsNone(String every) {
        assertThatThrownBy(() -> new FixedInterval(Duration.parse(every), FIRST))
                .isInstanceOf(OneRoofException.class)
                .hasMessageStartingWith("every: '");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1000000000-01-01T00:00:00Z", "+1000000000-12-31T23:59:59.999999999Z"})
    void refusesABeginningThatNoCalendarHas(String first) {
        assertThatThrownBy(() -> new FixedInterval(Duration.ofSeconds(1), Instant.parse(first)))
                .isInstanceOf(OneRoofException.class)
                .hasMessage("first: '%s' is not allowed; allowed are times of the years 1 to 9999".formatted(first));
    }

    @Test
    void steadyTimesEndWithTheLastYear() {
        Duration every = Duration.ofDays(366);
        Instant last = Instant.parse("9999-06-01T00:00:00Z");
        for (FixedInterval times : List.of(new FixedInterval(every, null), new FixedInterval(every, last))) {
            assertThat(times.next(last.minus(every))).contains(last);
            assertThat(times.next(last)).isEmpty();
            assertThat(times.next(Instant.MAX)).isEmpty();
        }
        assertThat(new FixedInterval(every, last).next(Instant.MIN)).contains(last);
    }
}
