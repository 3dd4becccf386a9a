package dev.oneroof.core.worker;

import dev.oneroof.core.gate.GateStore;
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

/** The loops of one instance, each on a thread of its own. */
public final class Workers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final String owner;
    private final Database db;
    private final LeaseStore leases;
    private final GateStore gates;
    private final LoopConfig config;
    private final List<WorkerLoop> loops = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Share share;
    private final WakeUps wakeUps;
    private Observer observer = Observer.NONE;
    private @Nullable Thread sharing;
    private @Nullable Thread listening;

    public Workers(String owner, Database db, LeaseStore leases, GateStore gates, LoopConfig config) {
        this.owner = owner;
        this.db = db;
        this.leases = leases;
        this.gates = gates;
        this.config = config;
        this.wakeUps = new WakeUps(db, new Sleeping(loops), config.wakeUps());
        this.share = new Share(owner, db, config, loops, wakeUps::ear);
    }

    /** Concerns the loops that are started from now on. */
    public synchronized void observedBy(Observer with) {
        observer = with;
    }

    /** One loop that was started, which can be ended alone. */
    public interface Started {
        /** Lets the pass that runs come to its end and gives the lease back. */
        void end();
    }

    public synchronized Started start(Worker worker) {
        WorkerLoop loop = new WorkerLoop(worker, owner, db, leases, gates, config, share, observer);
        loops.add(loop);
        if (sharing == null) {
            sharing = Thread.ofPlatform().name("oneroof-instance").start(share);
            listening = Thread.ofPlatform().name("oneroof-wake-ups").start(wakeUps);
        }
        Thread thread = Thread.ofPlatform().name("oneroof-" + loop.name()).start(loop);
        threads.add(thread);
        return () -> {
            loop.stop();
            join(List.of(thread));
            loops.remove(loop);
        };
    }

    /** Has those look for whom something of this layer may be work, without a wake-up from the database. */
    public void wake(String layer) {
        loops.forEach(loop -> loop.wake(layer));
    }

    /** As {@link #wake}, in some milliseconds: for what may well come several times until then. */
    public void wakeSoon(String layer) {
        loops.forEach(loop -> loop.wakeSoon(layer));
    }

    /** Whether somebody would look at once, if they were woken for this layer. */
    public boolean wouldLook(String layer) {
        return loops.stream().anyMatch(loop -> loop.wouldLook(layer));
    }

    /** Lets every pass that runs come to its end, gives the leases back, then returns. */
    @Override
    public synchronized void close() {
        loops.forEach(WorkerLoop::stop);
        join(threads);
        // Not before them: until then a pass that takes long is renewed, and the instance is alive.
        List<Thread> all = new ArrayList<>();
        if (sharing != null) {
            share.stop();
            all.add(sharing);
        }
        if (listening != null) {
            wakeUps.stop();
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
                    log.warn("{} did not end within {} s", thread.getName(), DRAIN.toSeconds());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** The loops, as those see them who wake them. */
    private record Sleeping(List<WorkerLoop> loops) implements WakeUps.Sleepers {
        @Override
        public boolean any() {
            return loops.stream().anyMatch(WorkerLoop::canBeWoken);
        }

        @Override
        public void wake(String layer, Notifications here) {
            loops.forEach(loop -> loop.wake(layer, here));
        }

        @Override
        public void wakeAll() {
            loops.forEach(WorkerLoop::wake);
        }
    }
}
