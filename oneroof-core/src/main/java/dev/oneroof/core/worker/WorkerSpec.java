package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Scope;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What the loop has to know of a worker.
 *
 * @param gates all of them must be open for a pass to run
 * @param wakeUps the layers whose wake-ups may bring work
 * @param unit what a pass counts, in the singular: {@code row}, {@code job}
 * @param yieldsToLoad whether it rests while the server is under load
 * @param runsWhileDraining whether it continues in an instance that is drained, unless another instance would take it
 * @param removesScope whether the scope is deregistered when the worker ends, instead of waiting for another owner
 */
public record WorkerSpec(
        Scope scope,
        Set<String> gates,
        Set<WakeUpLayer> wakeUps,
        String unit,
        boolean yieldsToLoad,
        boolean runsWhileDraining,
        boolean removesScope) {
    public WorkerSpec {
        gates = Set.copyOf(gates);
        wakeUps = Set.copyOf(wakeUps);
    }

    /** Without gates and wake-ups; it counts rows, yields to load, drains, and leaves its scope to the next owner. */
    public static WorkerSpec of(Scope scope) {
        return new WorkerSpec(scope, Set.of(), Set.of(), "row", true, false, false);
    }

    /** In addition to the gates it has. */
    public WorkerSpec gatedBy(Set<String> more) {
        Set<String> all = new LinkedHashSet<>(gates);
        all.addAll(more);
        return new WorkerSpec(scope, all, wakeUps, unit, yieldsToLoad, runsWhileDraining, removesScope);
    }

    public WorkerSpec wokenBy(WakeUpLayer... layers) {
        return new WorkerSpec(scope, gates, Set.of(layers), unit, yieldsToLoad, runsWhileDraining, removesScope);
    }

    public WorkerSpec counting(String one) {
        return new WorkerSpec(scope, gates, wakeUps, one, yieldsToLoad, runsWhileDraining, removesScope);
    }

    public WorkerSpec ignoringLoad() {
        return new WorkerSpec(scope, gates, wakeUps, unit, false, runsWhileDraining, removesScope);
    }

    public WorkerSpec runningWhileDraining() {
        return new WorkerSpec(scope, gates, wakeUps, unit, yieldsToLoad, true, removesScope);
    }

    public WorkerSpec removingScope(boolean removes) {
        return new WorkerSpec(scope, gates, wakeUps, unit, yieldsToLoad, runsWhileDraining, removes);
    }
}
