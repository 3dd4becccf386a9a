package dev.oneroof.testkit.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void returnsTheFirstAcceptedValue() {
        int value = Await.patiently().until("three", asked::incrementAndGet, n -> n >= 3);

        assertThat(value).isEqualTo(3);
    }

    @Test
    void tellsWhatWasAwaitedAndSeenLast() {
        assertThatThrownBy(() -> Await.upTo(Duration.ofMillis(20)).until("a negative number", () -> 7, n -> n < 0))
                .isInstanceOf(AssertionError.class)
                .hasMessage("Waited 20 ms for: a negative number; last seen: 7");
    }

    @Test
    void asksAtLeastOnceEvenWithoutTime() {
        Await.upTo(Duration.ZERO).until("at once", () -> asked.incrementAndGet() == 1);

        assertThat(asked).hasValue(1);
    }

    @Test
    void keepsTheLastFailureOfAssertions() {
        assertThatThrownBy(() -> Await.upTo(Duration.ofMillis(20))
                        .untilAsserted("equality", () -> assertThat(1).isEqualTo(2)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("equality")
                .hasCauseInstanceOf(AssertionError.class);
    }

    @Test
    void doesNotTakeAnErrorForNotYet() {
        assertThatThrownBy(() -> Await.patiently().until("anything", () -> {
                    asked.incrementAndGet();
                    throw new java.io.IOException("gone");
                }))
                .isInstanceOf(OneRoofException.class)
                .hasRootCauseMessage("gone");
        assertThat(asked).hasValue(1);
    }

    @Test
    void saysWhetherSomethingCameToHold() {
        assertThat(Await.upTo(Duration.ofMillis(10)).holds(() -> false)).isFalse();
        assertThat(Await.upTo(Duration.ofSeconds(5)).holds(() -> asked.incrementAndGet() > 2))
                .isTrue();
    }
}
