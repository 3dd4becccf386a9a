package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingTest {
    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final Duration SHORTLY = Duration.ofMillis(20);

    private final Waiting waiting = new Waiting();

    @Test
    void endsWhereAWakeUpHasComeBefore() {
        waiting.wake();
        waiting.wake();

        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);
        assertThat(waiting.rest(SHORTLY, true)).as("two are one").isEqualTo(Waiting.Rest.OVER);
    }

    @Test
    void keepsAWakeUpForLaterWhereItMayNotEndTheWait() {
        waiting.wake();

        assertThat(waiting.rest(SHORTLY, false)).isEqualTo(Waiting.Rest.OVER);
        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);
    }

    @Test
    void endsWithAWakeUpThatIsForLaterAndNotBefore() {
        long began = System.nanoTime();
        waiting.wakeIn(SHORTLY);

        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(SHORTLY.toNanos());
        assertThat(waiting.rest(SHORTLY, true)).as("once").isEqualTo(Waiting.Rest.OVER);
    }

    @Test
    void isShortenedForWhoSleepsAlready() throws InterruptedException {
        AtomicReference<Waiting.Rest> rest = new AtomicReference<>();
        Thread sleeper = Thread.ofPlatform().start(() -> rest.set(waiting.rest(FOR_EVER, true)));
        while (sleeper.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        waiting.wakeIn(SHORTLY);
        sleeper.join();

        assertThat(rest).hasValue(Waiting.Rest.WOKEN);
    }

    @Test
    void endsWithTheEarlierOfTwo() {
        waiting.wakeIn(FOR_EVER);
        waiting.wakeIn(SHORTLY);
        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);

        waiting.wakeIn(SHORTLY);
        waiting.wakeIn(FOR_EVER);
        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);
    }

    @Test
    void endsAtOnceThoughAnotherIsForLater() {
        waiting.wakeIn(FOR_EVER);
        waiting.wake();

        assertThat(waiting.rest(FOR_EVER, true)).isEqualTo(Waiting.Rest.WOKEN);
        assertThat(waiting.rest(SHORTLY, true)).as("that one is not due").isEqualTo(Waiting.Rest.OVER);
    }

    @Test
    void isOverInItsTimeThoughOneIsForLater() {
        waiting.wakeIn(FOR_EVER);

        assertThat(waiting.rest(SHORTLY, true)).isEqualTo(Waiting.Rest.OVER);
    }

    @Test
    void endsWithAStopAndStaysSo() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            waiting.rest(FOR_EVER, false);
            ended.countDown();
        });
        waiting.stop();

        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.pause(FOR_EVER)).isFalse();
    }
}
