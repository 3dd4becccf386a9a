package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = Backoff.of(Duration.ofMillis(50), Duration.ofMillis(500));

    @Test
    void doublesFromTheFirstDelayUpToTheLongest() {
        assertThat(IntStream.rangeClosed(1, 6).mapToObj(backoff::delay).map(Duration::toMillis))
                .containsExactly(50L, 100L, 200L, 400L, 500L, 500L);
    }

    @Test
    void staysAtTheLongestHoweverManyFailuresThereAre() {
        assertThat(backoff.delay(Integer.MAX_VALUE)).isEqualTo(Duration.ofMillis(500));
        assertThat(Backoff.of(Duration.ofNanos(1), Duration.ofSeconds(Long.MAX_VALUE))
                        .delay(Integer.MAX_VALUE))
                .isEqualTo(Duration.ofSeconds(Long.MAX_VALUE));
    }

    @Test
    void variesADelayWithinItsJitter() {
        Backoff jittered = backoff.withJitter(0.1);
        assertThat(IntStream.range(0, 1000).mapToObj(n -> jittered.delay(2)))
                .allSatisfy(delay -> assertThat(delay).isBetween(Duration.ofMillis(90), Duration.ofMillis(110)))
                .anySatisfy(delay -> assertThat(delay).isNotEqualTo(Duration.ofMillis(100)));
    }

    @Test
    void refusesWhatIsNoBackoff() {
        assertThatThrownBy(() -> Backoff.of(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("0 < first <= longest");
        assertThatThrownBy(() -> Backoff.of(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("first 'PT2S', longest 'PT1S'");
        assertThatThrownBy(() -> backoff.withJitter(1)).hasMessageContaining("jitter '1.0'");
    }
}
