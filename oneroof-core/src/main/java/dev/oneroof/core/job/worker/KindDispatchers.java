package dev.oneroof.core.job.worker;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The dispatchers of an instance, one per kind, in the order they were added. A kind can be added at any time, and stays. */
final class KindDispatchers {
    // Copied on write: kinds are read for every lease, and added a few times in the life of a process.
    private volatile Map<String, KindDispatcher> byKind = Map.of();

    synchronized void add(KindDispatcher dispatcher) {
        Map<String, KindDispatcher> more = new LinkedHashMap<>(byKind);
        if (more.putIfAbsent(dispatcher.kind(), dispatcher) != null) {
            throw new IllegalStateException("kind '%s' has a dispatcher already".formatted(dispatcher.kind()));
        }
        byKind = Collections.unmodifiableMap(more);
    }

    Set<String> kinds() {
        return byKind.keySet();
    }

    Collection<KindDispatcher> all() {
        return byKind.values();
    }

    @Nullable
    KindDispatcher find(String kind) {
        return byKind.get(kind);
    }

    KindDispatcher get(String kind) {
        KindDispatcher dispatcher = find(kind);
        if (dispatcher == null) {
            throw new IllegalStateException("leased a job of kind '%s', which was not asked for".formatted(kind));
        }
        return dispatcher;
    }

    /** By kind, how many more jobs to lease; kinds without room are left out. */
    Map<String, Integer> room() {
        Map<String, Integer> room = new LinkedHashMap<>();
        byKind.forEach((kind, dispatcher) -> {
            int more = dispatcher.room();
            if (more > 0) {
                room.put(kind, more);
            }
        });
        return room;
    }

    boolean isIdle() {
        return all().stream().allMatch(dispatcher -> dispatcher.inFlight() == 0);
    }

    /** Whether jobs leased now would wait for a processor: another process may have one free. */
    boolean isStarved() {
        return all().stream().anyMatch(KindDispatcher::isStarved);
    }
}
