package dev.oneroof.core.worker;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection of a process that listens. What it hears says only that there may be something to do; who is woken
 * looks into the tables. So a wake-up that is lost or comes twice costs time and never work, and this class may do the
 * simple thing in every trouble: connect again, and wake everybody once.
 *
 * <p>A connection can be deaf without being broken: behind a proxy that pools transactions LISTEN goes to a server
 * session that is somebody else's a moment later; a firewall may forget the connection and tell nobody. So it is sent
 * something through another connection from time to time, and must hear it.
 */
public final class WakeUps implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WakeUps.class);
    private static final String PREFIX = "queue_wake_";
    private static final Duration TURN = Duration.ofSeconds(1);
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(1);

    private static final String DOMAINS =
            "SELECT event_domain FROM oneroof.event_type_registry UNION SELECT event_domain FROM oneroof.job_kind";
    private static final String SEND = "SELECT pg_catalog.pg_notify(:channel, :token)";

    private final Database db;
    private final Sleepers sleepers;
    private final Pace pace;
    private final Waiting waiting = new Waiting();
    private final String ownChannel =
            "oneroof_self_test_" + UUID.randomUUID().toString().replace("-", "");
    private volatile Ear ear = Ear.OFF;
    private int troubles;

    /** Who sleeps, as far as this class has to know. Called from its thread. */
    public interface Sleepers {
        /** Whether anybody waits for wake-ups at all. */
        boolean any();

        /**
         * Wakes those whom something of this layer concerns.
         *
         * @param layer what has come: {@code event}, {@code job} or {@code job_cancel}
         * @param here where it was heard, for a quick look
         */
        void wake(String layer, Notifications here);

        void wakeAll();
    }

    /**
     * How often it looks after itself.
     *
     * @param test how often the connection is tested, and new domains are looked for
     * @param patience how long a test may take
     */
    public record Pace(Duration test, Duration patience) {
        public static final Pace DEFAULT = new Pace(Duration.ofSeconds(15), Duration.ofSeconds(5));
    }

    public WakeUps(Database db, Sleepers sleepers, Pace pace) {
        this.db = db;
        this.sleepers = sleepers;
        this.pace = pace;
    }

    public Ear ear() {
        return ear;
    }

    public void stop() {
        waiting.stop();
    }

    @Override
    public void run() {
        while (!waiting.isStopped()) {
            if (!sleepers.any()) {
                ear = Ear.OFF;
                waiting.pause(TURN);
                continue;
            }
            try {
                listen();
            } catch (RuntimeException | Error e) {
                // While the server is away everybody fails, and it need not be told by each.
                log.debug("wake-ups are not heard: {}", e.getMessage());
            }
            ear = ear == Ear.DEAF ? Ear.DEAF : Ear.CONNECTING;
            waiting.pause(backoff());
        }
    }

    private Duration backoff() {
        Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(troubles++, 10));
        return doubled.compareTo(LONGEST_BACKOFF) < 0 ? doubled : LONGEST_BACKOFF;
    }

    /** Returns when the connection was found deaf, or nobody waits any more. */
    private void listen() {
        try (Notifications notifications = db.notifications()) {
            notifications.listen(ownChannel);
            Set<String> known = new HashSet<>();
            Test test = null;
            long testedNanos = System.nanoTime() - pace.test().toNanos();
            while (!waiting.isStopped() && sleepers.any()) {
                if (System.nanoTime() - testedNanos >= pace.test().toNanos()) {
                    testedNanos = System.nanoTime();
                    boolean first = known.isEmpty();
                    listenToNew(notifications, known);
                    // One at a time: the next must not take the place of one that was not heard.
                    test = test == null ? Test.begin(this) : test;
                    if (first) {
                        // What was sent while nobody listened is not sent again.
                        sleepers.wakeAll();
                    }
                }
                // Before the wait: what has come by then, however late it is looked at, is heard.
                boolean isOver = test != null && test.isOver(pace.patience());
                List<Notifications.Heard> heard = notifications.await(TURN);
                if (test != null && test.isHeardIn(heard)) {
                    test = null;
                    troubles = 0;
                    if (ear != Ear.LISTENING) {
                        log.info("wake-ups are heard, from {} domains", known.size());
                        ear = Ear.LISTENING;
                    }
                }
                heard.stream()
                        .filter(one -> one.channel().startsWith(PREFIX))
                        .map(Notifications.Heard::payload)
                        .distinct()
                        .forEach(layer -> sleepers.wake(layer, notifications));
                if (test != null && isOver) {
                    if (ear != Ear.DEAF) {
                        log.warn(
                                "wake-ups do not arrive on their connection; a proxy that pools transactions does that."
                                        + " Workers look by themselves until they do.");
                    }
                    ear = Ear.DEAF;
                    notifications.discard();
                    return;
                }
            }
        }
    }

    private void listenToNew(Notifications notifications, Set<String> known) {
        List<String> domains =
                db.inTx(tx -> tx.query(DOMAINS).mapTo(String.class).list());
        domains.stream().filter(known::add).forEach(domain -> notifications.listen(PREFIX + domain));
    }

    /** Something sent to ourselves by another way. */
    private record Test(String channel, String token, long sentNanos) {
        static Test begin(WakeUps own) {
            Test test = new Test(own.ownChannel, UUID.randomUUID().toString(), System.nanoTime());
            own.db.useTx(test::send);
            return test;
        }

        private void send(Tx tx) {
            tx.query(SEND)
                    .bind("channel", channel)
                    .bind("token", token)
                    .mapTo(String.class)
                    .findOne();
        }

        boolean isHeardIn(List<Notifications.Heard> heard) {
            return heard.contains(new Notifications.Heard(channel, token));
        }

        boolean isOver(Duration patience) {
            return System.nanoTime() - sentNanos > patience.toNanos();
        }
    }
}
