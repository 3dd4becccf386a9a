package dev.oneroof.core.worker;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection of a process that listens for wake-ups. A wake-up only says that there may be work; the worker then reads
 * the tables. So one that is lost or arrives twice costs time and never work, and every failure has the same answer: connect
 * again, and wake all workers once.
 *
 * <p>A connection can stop receiving without being broken: behind a proxy that pools transactions, LISTEN applies to a server
 * session that serves another client a moment later; a firewall may drop the connection silently. So a test notification is
 * sent through another connection from time to time, and must arrive.
 */
public final class WakeUpListener implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WakeUpListener.class);
    private static final String PREFIX = "queue_wake_";
    private static final Duration TURN = Duration.ofSeconds(1);
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(1);

    private final Database db;
    private final Receivers receivers;
    private final SelfTest selfTest;
    private final WakeUpStore store = new WakeUpStore();
    private final Waiting waiting = new Waiting();
    private final String ownChannel =
            "oneroof_self_test_" + UUID.randomUUID().toString().replace("-", "");
    private volatile ListenState state = ListenState.OFF;
    private int failures;

    /** The workers that wake-ups are for. Called from the listener's thread. */
    public interface Receivers {
        /** Whether any of them waits for wake-ups at all. */
        boolean any();

        /**
         * Wakes those for which this layer may bring work.
         *
         * @param connection the one that received the wake-up, for an immediate poll
         */
        void wake(WakeUpLayer layer, Notifications connection);

        void wakeAll();
    }

    /**
     * How the connection is tested.
     *
     * @param interval how often it is tested, and new domains are read
     * @param timeout how long a test notification may take to arrive
     */
    public record SelfTest(Duration interval, Duration timeout) {
        public static final SelfTest DEFAULT = new SelfTest(Duration.ofSeconds(15), Duration.ofSeconds(5));
    }

    public WakeUpListener(Database db, Receivers receivers, SelfTest selfTest) {
        this.db = db;
        this.receivers = receivers;
        this.selfTest = selfTest;
    }

    public ListenState state() {
        return state;
    }

    public void stop() {
        waiting.stop();
    }

    @Override
    public void run() {
        while (!waiting.isStopped()) {
            if (!receivers.any()) {
                state = ListenState.OFF;
                waiting.pause(TURN);
                continue;
            }
            try {
                listen();
            } catch (RuntimeException | Error e) {
                // While the server is away every worker fails and logs it; once is enough.
                log.debug("cannot listen for wake-ups: {}", e.getMessage());
            }
            state = state == ListenState.NOT_RECEIVING ? state : ListenState.CONNECTING;
            waiting.pause(backoff());
        }
    }

    private Duration backoff() {
        Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failures++, 10));
        return doubled.compareTo(LONGEST_BACKOFF) < 0 ? doubled : LONGEST_BACKOFF;
    }

    /** Returns when a test notification did not arrive, or no worker waits for wake-ups any more. */
    private void listen() {
        try (Notifications notifications = db.notifications()) {
            notifications.listen(ownChannel);
            Set<String> known = new HashSet<>();
            Test test = null;
            long testedNanos = System.nanoTime() - selfTest.interval().toNanos();
            while (!waiting.isStopped() && receivers.any()) {
                if (System.nanoTime() - testedNanos >= selfTest.interval().toNanos()) {
                    testedNanos = System.nanoTime();
                    boolean first = known.isEmpty();
                    listenToNew(notifications, known);
                    // One at a time: the next must not replace one that has not arrived.
                    test = test == null ? sendTest() : test;
                    if (first) {
                        // What was sent before LISTEN is not sent again.
                        receivers.wakeAll();
                    }
                }
                // Before the wait: what has arrived by then counts, however late it is read.
                boolean isOver = test != null && test.isOver(selfTest.timeout());
                List<Notifications.Heard> received = notifications.await(TURN);
                if (test != null && test.isIn(received)) {
                    test = null;
                    testSucceeded(known.size());
                }
                received.stream()
                        .filter(one -> one.channel().startsWith(PREFIX))
                        .map(Notifications.Heard::payload)
                        .distinct()
                        .flatMap(payload -> WakeUpLayer.ofPayload(payload).stream())
                        .forEach(layer -> receivers.wake(layer, notifications));
                if (test != null && isOver) {
                    testFailed();
                    notifications.discard();
                    return;
                }
            }
        }
    }

    private void testSucceeded(int domains) {
        failures = 0;
        if (state != ListenState.LISTENING) {
            log.info("listening for wake-ups of {} domains", domains);
            state = ListenState.LISTENING;
        }
    }

    private void testFailed() {
        if (state != ListenState.NOT_RECEIVING) {
            log.warn(
                    "a test notification did not arrive within {} s; a proxy that pools transactions causes this."
                            + " Workers poll until wake-ups arrive again.",
                    selfTest.timeout().toSeconds());
        }
        state = ListenState.NOT_RECEIVING;
    }

    private void listenToNew(Notifications notifications, Set<String> known) {
        db.inTx(store::domains).stream().filter(known::add).forEach(domain -> notifications.listen(PREFIX + domain));
    }

    private Test sendTest() {
        Test test = new Test(ownChannel, UUID.randomUUID().toString(), System.nanoTime());
        db.useTx(tx -> store.send(tx, test.channel(), test.token()));
        return test;
    }

    /** A notification to ourselves, through another connection. */
    private record Test(String channel, String token, long sentNanos) {
        boolean isIn(List<Notifications.Heard> received) {
            return received.contains(new Notifications.Heard(channel, token));
        }

        boolean isOver(Duration timeout) {
            return System.nanoTime() - sentNanos > timeout.toNanos();
        }
    }
}
