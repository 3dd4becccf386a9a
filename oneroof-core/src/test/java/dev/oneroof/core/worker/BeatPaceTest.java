package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Beat;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BeatPaceTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long START = -5 * SECOND;
    private static final Beat FINE = Beat.quiet();
    private static final Beat FAILING = Beat.failing("no luck");

    private final BeatPace pace = new BeatPace(LoopConfig.DEFAULT, START);

    @Test
    void theFirstBeatOfALeaseIsDueAtOnce() {
        assertThat(pace.isDue(FINE, START)).isTrue();

        pace.sent(FINE, START);
        assertThat(pace.isDue(FINE, START)).isFalse();

        pace.reset(START + 1);
        assertThat(pace.isDue(FINE, START + 1)).isTrue();
    }

    @Test
    void newsIsDueAfterASecondAndNoNewsAfterAQuarterOfTheLease() {
        pace.sent(FINE, START);

        assertThat(pace.isDue(FAILING, START + SECOND - 1)).isFalse();
        assertThat(pace.isDue(FAILING, START + SECOND)).isTrue();
        assertThat(pace.isDue(FINE, START + SECOND)).isFalse();
        assertThat(pace.untilSteadyNanos(START + SECOND)).isEqualTo(SECOND * 11 / 4);
        assertThat(pace.isDue(FINE, START + SECOND * 15 / 4)).isTrue();
    }

    @Test
    void aWorkerThatIsWellAndUnwellByTurnsBeatsAtMost1210TimesAnHour() {
        assertThat(beatsIn(3600, true)).isBetween(1000L, 1210L);
    }

    @Test
    void aWorkerWithoutNewsBeats960TimesAnHour() {
        assertThat(beatsIn(3600, false)).isBetween(899L, 961L);
    }

    @Test
    void newsIsToldAtOnceAgainAfterATimeWithoutAny() {
        beatsIn(600, true);
        long later = START + 1300 * SECOND;
        for (long now = START + 600 * SECOND; now < later; now += SECOND * 15 / 4) {
            pace.sent(FINE, now);
        }
        pace.sent(FINE, later);

        int atOnce = 0;
        for (int n = 1; n <= 30; n++) {
            Beat next = n % 2 == 0 ? FINE : FAILING;
            if (pace.isDue(next, later + n * SECOND)) {
                pace.sent(next, later + n * SECOND);
                atOnce++;
            }
        }
        assertThat(atOnce).isGreaterThanOrEqualTo(BeatPace.EARLY_BEATS);
    }

    private long beatsIn(int seconds, boolean flapping) {
        long beats = 0;
        boolean well = true;
        for (long now = START; now < START + seconds * SECOND; now += SECOND / 4) {
            Beat next = well || !flapping ? FINE : FAILING;
            if (pace.isDue(next, now)) {
                pace.sent(next, now);
                beats++;
                well = !well;
            }
        }
        return beats;
    }
}
