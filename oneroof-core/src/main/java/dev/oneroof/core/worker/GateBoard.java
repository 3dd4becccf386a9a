package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The gates and pauses as an instance knows them, read once for all its workers and at most {@link LoopConfig#gateInterval}
 * old. A failed read is kept as long: while the database is away, one loop waits for it and not each in turn.
 */
final class GateBoard {
    private static final GateBoardStore.Seen NOTHING = new GateBoardStore.Seen(Set.of(), Map.of(), Map.of());

    private final Database db;
    private final Duration longestAge;
    private final GateBoardStore store = new GateBoardStore();
    private final ReentrantLock reading = new ReentrantLock();
    private volatile Read last;

    /** One read and what came of it. */
    private record Read(GateBoardStore.Seen seen, @Nullable RuntimeException failure, long nanos) {}

    GateBoard(Database db, Duration longestAge) {
        this.db = db;
        this.longestAge = longestAge;
        this.last = new Read(NOTHING, null, System.nanoTime() - longestAge.toNanos() - 1);
    }

    /** Why the worker's passes are stopped by a gate, the first of them by name; empty where all are open. */
    Optional<String> closedGate(WorkerSpec spec) {
        return spec.gates().isEmpty() ? Optional.empty() : closedGate(spec, read());
    }

    Optional<Pause> pause(Scope scope) {
        return Optional.ofNullable(read().pauses().get(scope.executorName()));
    }

    /** Whether a gate or a pause stopped the worker when the board was last read. Neither reads nor waits. */
    boolean wasStopped(WorkerSpec spec) {
        GateBoardStore.Seen seen = last.seen();
        return closedGate(spec, seen).isPresent()
                || seen.pauses().containsKey(spec.scope().executorName());
    }

    private static Optional<String> closedGate(WorkerSpec spec, GateBoardStore.Seen seen) {
        return spec.gates().stream()
                .filter(gate -> !seen.open().contains(gate))
                .sorted()
                .findFirst()
                .map(gate -> seen.closed().getOrDefault(gate, "gate %s is closed".formatted(gate)));
    }

    private GateBoardStore.Seen read() {
        Read known = last;
        if (isOld(known)) {
            reading.lock();
            try {
                known = last;
                if (isOld(known)) {
                    known = readNow(known);
                    last = known;
                }
            } finally {
                reading.unlock();
            }
        }
        if (known.failure() != null) {
            throw known.failure();
        }
        return known.seen();
    }

    private boolean isOld(Read read) {
        return System.nanoTime() - read.nanos() > longestAge.toNanos();
    }

    private Read readNow(Read before) {
        try {
            GateBoardStore.Seen seen = db.inStatement(store::read);
            return new Read(seen, null, System.nanoTime());
        } catch (RuntimeException e) {
            return new Read(before.seen(), e, System.nanoTime());
        }
    }
}
