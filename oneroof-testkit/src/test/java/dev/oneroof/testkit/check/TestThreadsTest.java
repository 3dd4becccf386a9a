package dev.oneroof.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TestThreadsTest {
    @Test
    void runsAllOfTheTestOnOneThread() throws Throwable {
        try (TestThreads threads = new TestThreads("one")) {
            Thread first = threads.run(Thread::currentThread);
            Thread second = threads.run(Thread::currentThread);

            assertThat(first).isSameAs(second).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void throwsWhatTheTestThrows() {
        IOException thrown = new IOException("as it is");
        try (TestThreads threads = new TestThreads("throws")) {
            assertThatThrownBy(() -> threads.run(() -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
        }
    }

    @Test
    void passesAnInterruptOnToTheTest() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean heard = new AtomicBoolean();
        try (TestThreads threads = new TestThreads("interrupted")) {
            Thread caller = new Thread(() -> {
                try {
                    threads.run(() -> {
                        running.countDown();
                        new CountDownLatch(1).await();
                        return true;
                    });
                } catch (InterruptedException e) {
                    heard.set(true);
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
            });
            caller.start();
            running.await();
            caller.interrupt();
            caller.join();
        }
        assertThat(heard).isTrue();
    }

    @Test
    void isNotChargedForThreadsOfTheTestBeside() throws Throwable {
        CountDownLatch end = new CountDownLatch(1);
        try (TestThreads one = new TestThreads("one");
                TestThreads other = new TestThreads("other")) {
            Thread left = one.run(() -> Thread.ofPlatform().name("left").start(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));

            assertThat(other.leftovers()).isEmpty();
            assertThat(one.leftovers())
                    .extracting(Leftover::description)
                    .singleElement()
                    .asString()
                    .contains("'left'");
            end.countDown();
            left.join();
            assertThat(one.leftovers()).isEmpty();
        }
    }
}
