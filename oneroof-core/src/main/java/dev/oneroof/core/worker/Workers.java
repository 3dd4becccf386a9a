package dev.oneroof.core.worker;

import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker loops of one instance, each on its own thread. */
public final class Workers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final String owner;
    private final Database db;
    private final LeaseStore leases;
    private final LoopConfig config;
    private final GateBoard board;
    private final List<WorkerLoop> loops = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ScopeBalancer balancer;
    private final WakeUpListener listener;
    private Observer observer = Observer.NONE;
    private @Nullable Thread balancing;
    private @Nullable Thread listening;

    public Workers(String owner, Database db, LeaseStore leases, LoopConfig config) {
        this.owner = owner;
        this.db = db;
        this.leases = leases;
        this.config = config;
        this.board = new GateBoard(db, config.gateInterval());
        this.listener = new WakeUpListener(db, new LoopReceivers(loops), config.selfTest());
        this.balancer = new ScopeBalancer(owner, db, leases, config, loops, listener::state);
    }

    /** Concerns the loops that are started from now on. */
    public synchronized void observedBy(Observer with) {
        observer = with;
    }

    /** One loop that was started, which can be ended alone. */
    public interface Started {
        /** Waits for the current pass and releases the lease. */
        void end();
    }

    public synchronized Started start(Worker worker) {
        LeaseHolder holder = new LeaseHolder(worker.spec().scope(), owner, db, leases, config, observer);
        WorkerLoop loop = new WorkerLoop(worker, holder, board, config, balancer, observer);
        loops.add(loop);
        if (balancing == null) {
            balancing = Thread.ofPlatform().name("oneroof-instance").start(balancer);
            listening = Thread.ofPlatform().name("oneroof-wake-ups").start(listener);
        }
        Thread thread = Thread.ofPlatform().name("oneroof-" + loop.name()).start(loop);
        threads.add(thread);
        return () -> {
            loop.stop();
            join(List.of(thread));
            loops.remove(loop);
        };
    }

    /** Wakes the workers for which this layer may bring work, without a notification from the database. */
    public void wake(WakeUpLayer layer) {
        loops.forEach(loop -> loop.wake(layer));
    }

    /** As {@link #wake}, in some milliseconds: for what may well happen several times until then. */
    public void wakeSoon(WakeUpLayer layer) {
        loops.forEach(loop -> loop.wakeSoon(layer));
    }

    /** Whether a worker would poll immediately if it were woken for this layer. */
    public boolean wouldPoll(WakeUpLayer layer) {
        return loops.stream().anyMatch(loop -> loop.wouldPoll(layer));
    }

    /** Waits for the current passes, releases the leases, then returns. */
    @Override
    public synchronized void close() {
        loops.forEach(WorkerLoop::stop);
        join(threads);
        // After them: until then the leases of long passes are renewed, and the instance is alive.
        List<Thread> all = new ArrayList<>();
        if (balancing != null) {
            balancer.stop();
            all.add(balancing);
        }
        if (listening != null) {
            listener.stop();
            all.add(listening);
        }
        join(all);
        loops.clear();
        threads.clear();
    }

    private static void join(List<Thread> all) {
        for (Thread thread : all) {
            try {
                if (!thread.join(DRAIN)) {
                    log.warn("thread {} did not end within {} s", thread.getName(), DRAIN.toSeconds());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** The loops, as the listener sees them. */
    private record LoopReceivers(List<WorkerLoop> loops) implements WakeUpListener.Receivers {
        @Override
        public boolean any() {
            return loops.stream().anyMatch(WorkerLoop::canBeWoken);
        }

        @Override
        public void wake(WakeUpLayer layer, Notifications connection) {
            loops.forEach(loop -> loop.wake(layer, connection));
        }

        @Override
        public void wakeAll() {
            loops.forEach(WorkerLoop::wake);
        }
    }
}
