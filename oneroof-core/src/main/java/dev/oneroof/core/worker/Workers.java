package dev.oneroof.core.worker;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.postgres.Database;
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
    private @Nullable Thread sharing;

    public Workers(String owner, Database db, LeaseStore leases, GateStore gates, LoopConfig config) {
        this.owner = owner;
        this.db = db;
        this.leases = leases;
        this.gates = gates;
        this.config = config;
        this.share = new Share(owner, db, config, loops);
    }

    public synchronized void start(Worker worker) {
        WorkerLoop loop = new WorkerLoop(worker, owner, db, leases, gates, config, share);
        loops.add(loop);
        if (sharing == null) {
            sharing = Thread.ofPlatform().name("oneroof-instance").start(share);
        }
        threads.add(Thread.ofPlatform().name("oneroof-" + loop.name()).start(loop));
    }

    /** Lets every pass that runs come to its end, gives the leases back, then returns. */
    @Override
    public synchronized void close() {
        loops.forEach(WorkerLoop::stop);
        List<Thread> all = new ArrayList<>(threads);
        if (sharing != null) {
            share.stop();
            all.add(sharing);
        }
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
        loops.clear();
        threads.clear();
    }
}
