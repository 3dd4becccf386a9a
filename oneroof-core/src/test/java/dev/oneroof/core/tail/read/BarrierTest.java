package dev.oneroof.core.tail.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BarrierTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    private final Barrier<Integer> barrier = new Barrier<>();
    private long now = 0;

    @Test
    void clearsABoundAtOnceWhenNothingIsOpen() {
        mark(10);

        assertThat(barrier.cleared()).contains(10);
    }

    @Test
    void waitsForWhateverWasOpenWhenTheBoundWasTaken() {
        mark(10, "3/1");
        mark(20, "3/1", "4/7");
        assertThat(barrier.cleared()).isEmpty();

        mark(30, "4/7");
        pause();
        mark(40, "4/7");

        assertThat(barrier.cleared()).contains(10);
    }

    @Test
    void doesNotWaitForWhatBeganLater() {
        mark(10, "3/1");
        mark(20, "5/1");
        pause();
        mark(30, "5/1");

        assertThat(barrier.cleared()).contains(10);
    }

    @Test
    void waitsForTheNextTransactionOfTheSameSessionToo() {
        mark(10, "3/1");
        mark(20, "3/2");
        pause();
        mark(30, "3/2");
        assertThat(barrier.cleared()).isEmpty();

        mark(40, "3/3");

        assertThat(barrier.cleared()).contains(10);
    }

    @Test
    void waitsForASessionThatMayBeBetweenTwoTransactions() {
        mark(10, "3/1");
        mark(20);
        assertThat(barrier.cleared()).isEmpty();

        mark(30, "3/2");
        assertThat(barrier.cleared()).isEmpty();

        mark(40);
        pause();
        mark(50);
        assertThat(barrier.cleared()).contains(50);
    }

    @Test
    void countsASessionBetweenTwoTransactionsAmongTheHoldersOfANewBound() {
        mark(10, "3/1");
        mark(20);

        mark(30, "3/2");

        assertThat(barrier.cleared()).isEmpty();
        assertThat(barrier.holders()).containsExactly(new Holder("3/2"));
    }

    @Test
    void keepsWaitingForAPreparedTransactionWhileItsSessionGoesOn() {
        mark(10, "3/1");
        mark(20, "3/1", "3/2");
        mark(30, "3/1", "3/3");
        pause();
        mark(40, "3/1");

        assertThat(barrier.cleared()).isEmpty();
        assertThat(barrier.holders()).containsExactly(new Holder("3/1"));
    }

    @Test
    void asksForAReadOfWhatAnEndedTransactionMayHaveWritten() {
        mark(10, "3/1", "9/1");
        mark(20, "9/1", "3/1");
        barrier.markRead();
        assertThat(barrier.unreadFrom()).isEqualTo(20);

        mark(30, "9/1");

        assertThat(barrier.unreadFrom()).isNull();
    }

    @Test
    void asksForNoReadOfWhatNobodyHasTouched() {
        mark(10, "9/1");
        barrier.markRead();

        for (int bound = 20; bound < 1000; bound += 10) {
            mark(bound, "9/1");
            assertThat(barrier.unreadFrom()).isEqualTo(bound - 10);
            barrier.markRead();
        }
    }

    @Test
    void keepsOneSegmentForATransactionThatStaysOpenForHours() {
        for (int bound = 10; bound < 100_000; bound += 10) {
            mark(bound, "9/1");
            barrier.markRead();
        }

        assertThat(barrier.segments()).isLessThanOrEqualTo(2);
        assertThat(barrier.cleared()).isEmpty();
    }

    @Test
    void takesTheSameBoundAgainForALookOnly() {
        mark(10, "3/1");
        mark(10);
        pause();
        mark(10);

        assertThat(barrier.cleared()).contains(10);
        assertThat(barrier.segments()).isEqualTo(1);
    }

    @Test
    void knowsNothingAfterItHasForgotten() {
        mark(10);
        barrier.reset();

        assertThat(barrier.cleared()).isEmpty();
        assertThat(barrier.unreadFrom()).isNull();
    }

    @Test
    void goesOnBehindWhatIsSettled() {
        mark(10);
        barrier.markSettled();
        assertThat(barrier.cleared()).isEmpty();

        mark(20, "3/1");

        assertThat(barrier.unreadFrom()).isEqualTo(10);
        assertThat(barrier.cleared()).isEmpty();
    }

    private void mark(int bound, String... open) {
        Set<Holder> holders = Arrays.stream(open).map(Holder::new).collect(Collectors.toSet());
        barrier.mark(bound, holders, now);
    }

    /** Longer than a session can be between two transactions. */
    private void pause() {
        now += 21 * MILLI;
    }
}
