package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScanWindowTest {
    private static final int MOST = 1000;

    private final ScanWindow window = new ScanWindow();
    private long nanos = -7;

    @Test
    void looksAtAllWhileThatIsQuick() {
        for (int n = 0; n < 5; n++) {
            assertThat(window.reach(nanos)).isNull();
            look(0, Duration.ofMillis(3));
            pass(Duration.ofSeconds(1));
        }
        look(200, Duration.ofMillis(80));
        assertThat(window.reach(nanos)).as("it brought something").isNull();
    }

    @Test
    void afterASlowLookGoesBackToTheLastOneAndTenSeconds() {
        look(0, Duration.ofMillis(800));
        pass(Duration.ofSeconds(1));
        assertThat(window.reach(nanos)).isEqualTo(Duration.ofMillis(11_800));
        look(3, Duration.ofMillis(2));
        pass(Duration.ofSeconds(1));
        assertThat(window.reach(nanos)).isEqualTo(Duration.ofMillis(11_002));
    }

    /** What was locked, or committed late, is found by a look at all. */
    @Test
    void looksAtAllForATenthOfTheTimeAndAtLeastEveryHalfMinute() {
        look(0, Duration.ofMillis(800));
        pass(Duration.ofMillis(7_999));
        assertThat(window.reach(nanos)).isNotNull();
        pass(Duration.ofMillis(1));
        assertThat(window.reach(nanos)).isNull();
        look(0, Duration.ofSeconds(20));
        pass(Duration.ofMillis(29_999));
        assertThat(window.reach(nanos)).isNotNull();
        pass(Duration.ofMillis(1));
        assertThat(window.reach(nanos)).isNull();
        look(0, Duration.ofMillis(2));
        assertThat(window.reach(nanos)).as("the snapshot is gone").isNull();
    }

    @Test
    void leavesNothingBehindWhereThereWasMoreThanItTook() {
        look(MOST, Duration.ofSeconds(5));
        assertThat(window.reach(nanos)).isNull();
        look(0, Duration.ofMillis(800));
        look(MOST, Duration.ofMillis(100));
        pass(Duration.ofSeconds(1));
        assertThat(window.reach(nanos)).isEqualTo(Duration.ofMillis(11_900));
    }

    private void look(int found, Duration took) {
        Duration reach = window.reach(nanos);
        long began = nanos;
        pass(took);
        window.scanned(reach, found < MOST, found, began, nanos);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
