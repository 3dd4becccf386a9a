package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;

/** Decides whether the server has trouble that background work would make worse: lock waits, or too many connections. */
final class LoadGuard {
    private final LoadStore store = new LoadStore();

    Load read(Tx tx) {
        LoadStore.Figures now = store.read(tx);
        double percent = 100.0 * now.used() / now.allowed();
        String waiting = "%d sessions wait for locks".formatted(now.waits());
        String connected = "%d of %d connections are in use".formatted(now.used(), now.allowed());
        if (isOver((double) now.waits(), now.waitsHold())) {
            return new Load.Hold(limit(waiting, "lock_waits_hold", now.waitsHold()));
        }
        if (isOver(percent, now.usedHold())) {
            return new Load.Hold(limit(connected, "connections_hold_percent", now.usedHold()));
        }
        if (isOver((double) now.waits(), now.waitsSlow())) {
            return new Load.Slow(limit(waiting, "lock_waits_slow", now.waitsSlow()));
        }
        if (isOver(percent, now.usedSlow())) {
            return new Load.Slow(limit(connected, "connections_slow_percent", now.usedSlow()));
        }
        return new Load.Normal();
    }

    private static boolean isOver(double value, double limit) {
        return limit > 0 && value >= limit;
    }

    private static String limit(String what, String setting, double limit) {
        return "load: %s (queue.load.%s is %.0f)".formatted(what, setting, limit);
    }
}
