package dev.oneroof.testkit.check;

import dev.oneroof.testkit.await.Await;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test's methods so that the threads they start can be told from those of the tests beside it.
 *
 * <p>A list of threads before and after says nothing while four tests run at once. But a thread is born into the
 * thread group of its parent, so the test runs on a thread in a group of its own, and what is alive in that group
 * afterwards is the test's. Left over are threads that keep the JVM alive, and OneRoof's own, which must end when
 * OneRoof is closed; a library's daemon, such as the driver's shared timer, may outlive the test that met it first.
 *
 * <p>Not seen are virtual threads, which no group lists, platform threads started by a virtual one, and threads
 * started by another extension's callbacks, which run on JUnit's own thread.
 */
public final class TestThreads implements AutoCloseable {
    /** OneRoof names its threads so. */
    public static final String ONEROOF_PREFIX = "oneroof-";

    /** A pool that has ended lets go of its last thread a moment later. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final ThreadGroup group;
    private final ExecutorService executor;
    private volatile @Nullable Thread runner;

    public TestThreads(String name) {
        this.group = new ThreadGroup(name);
        this.executor = Executors.newSingleThreadExecutor(this::newRunner);
    }

    private Thread newRunner(Runnable work) {
        Thread thread = new Thread(group, work, "test-" + group.getName());
        // JUnit's own threads are daemons, and children inherit that: no thread of a test would ever count.
        thread.setDaemon(false);
        runner = thread;
        return thread;
    }

    /** Runs one method of the test on the test's own thread and waits for it; an interrupt is passed on to it. */
    public <T extends @Nullable Object> T run(Body<T> body) throws Throwable {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Future<T> result = executor.submit(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            return call(body);
        });
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    // JUnit's time limit interrupts the thread that it knows; the test must hear of it.
                    interrupted = true;
                    interruptRunner();
                } catch (ExecutionException e) {
                    throw e.getCause() == null ? e : e.getCause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <T extends @Nullable Object> T call(Body<T> body) throws Exception {
        try {
            return body.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }

    private void interruptRunner() {
        Thread thread = runner;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The threads that the test has left running. */
    public List<Leftover> leftovers() {
        Await.upTo(GRACE).holds(() -> left().isEmpty());
        return left().stream().map(TestThreads::leftover).toList();
    }

    /** Ends the test's own thread, and asks the ones left over to end, lest they disturb the tests to come. */
    @Override
    public void close() {
        executor.shutdownNow();
        left().forEach(Thread::interrupt);
    }

    private List<Thread> left() {
        Thread[] threads = new Thread[group.activeCount() * 2 + 16];
        int count = group.enumerate(threads, true);
        return Arrays.stream(threads, 0, count)
                .filter(thread -> !thread.equals(runner))
                .filter(thread -> !thread.isDaemon() || thread.getName().startsWith(ONEROOF_PREFIX))
                .toList();
    }

    private static Leftover leftover(Thread thread) {
        String stack = Arrays.stream(thread.getStackTrace())
                .limit(8)
                .map(frame -> "\n      at " + frame)
                .collect(Collectors.joining());
        String kind = thread.isDaemon() ? "daemon" : "not a daemon";
        return new Leftover(Leftover.Kind.THREAD, "'" + thread.getName() + "', " + kind + stack);
    }

    /** A method of a test. */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object> {
        T run() throws Throwable;
    }
}
