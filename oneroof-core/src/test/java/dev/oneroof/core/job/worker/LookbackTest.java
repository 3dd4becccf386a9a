package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookbackTest {
    private static final int MOST = 1000;

    private final Lookback lookback = new Lookback();
    private long nanos = -7;

    @Test
    void looksAtAllWhileThatIsQuick() {
        for (int n = 0; n < 5; n++) {
            assertThat(lookback.reach(nanos)).isNull();
            look(0, Duration.ofMillis(3));
            pass(Duration.ofSeconds(1));
        }
        look(200, Duration.ofMillis(80));
        assertThat(lookback.reach(nanos)).as("it brought something").isNull();
    }

    @Test
    void afterASlowLookGoesBackToTheLastOneAndTenSeconds() {
        look(0, Duration.ofMillis(800));
        pass(Duration.ofSeconds(1));
        assertThat(lookback.reach(nanos)).isEqualTo(Duration.ofMillis(11_800));
        look(3, Duration.ofMillis(2));
        pass(Duration.ofSeconds(1));
        assertThat(lookback.reach(nanos)).isEqualTo(Duration.ofMillis(11_002));
    }

    /** What was locked, or committed late, is found by a look at all. */
    @Test
    void looksAtAllForATenthOfTheTimeAndAtLeastEveryHalfMinute() {
        look(0, Duration.ofMillis(800));
        pass(Duration.ofMillis(7_999));
        assertThat(lookback.reach(nanos)).isNotNull();
        pass(Duration.ofMillis(1));
        assertThat(lookback.reach(nanos)).isNull();
        look(0, Duration.ofSeconds(20));
        pass(Duration.ofMillis(29_999));
        assertThat(lookback.reach(nanos)).isNotNull();
        pass(Duration.ofMillis(1));
        assertThat(lookback.reach(nanos)).isNull();
        look(0, Duration.ofMillis(2));
        assertThat(lookback.reach(nanos)).as("the snapshot is gone").isNull();
    }

    @Test
    void leavesNothingBehindWhereThereWasMoreThanItTook() {
        look(MOST, Duration.ofSeconds(5));
        assertThat(lookback.reach(nanos)).isNull();
        look(0, Duration.ofMillis(800));
        look(MOST, Duration.ofMillis(100));
        pass(Duration.ofSeconds(1));
        assertThat(lookback.reach(nanos)).isEqualTo(Duration.ofMillis(11_900));
    }

    private void look(int brought, Duration took) {
        Duration reach = lookback.reach(nanos);
        long began = nanos;
        pass(took);
        lookback.looked(reach, brought < MOST, brought, began, nanos);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
