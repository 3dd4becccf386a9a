package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Scope;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the running workers of an instance equal to the members of its sets. */
public final class WorkerSetRunner implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WorkerSetRunner.class);
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final Workers workers;
    private final List<WorkerSet> sets;
    private final Predicate<Scope> taken;
    private final Waiting waiting = new Waiting();
    private final Map<WorkerSet, Map<Scope, Running>> running = new HashMap<>();
    private final Map<WorkerSet, Set<Scope>> removed = new HashMap<>();

    private record Running(Object version, Workers.Started started) {}

    /**
     * Runs from {@link #run} on.
     *
     * @param taken whether the instance runs a worker of that scope by itself: a member of it is left out
     */
    public WorkerSetRunner(Workers workers, List<WorkerSet> sets, Predicate<Scope> taken) {
        this.workers = workers;
        this.taken = taken;
        this.sets = List.copyOf(sets);
    }

    public void stop() {
        waiting.stop();
    }

    @Override
    public void run() {
        do {
            sets.forEach(this::reconcileGuarded);
        } while (waiting.pause(INTERVAL));
    }

    private void reconcileGuarded(WorkerSet set) {
        try {
            reconcile(set);
        } catch (RuntimeException | Error e) {
            // The members of before keep running, and of the other sets too.
            log.warn("could not read the members of a worker set; trying again in {} s", INTERVAL.toSeconds(), e);
        }
    }

    private void reconcile(WorkerSet set) {
        Map<Scope, WorkerSet.Member> wanted = set.members().stream()
                .filter(member -> !taken.test(member.scope()))
                .collect(Collectors.toMap(WorkerSet.Member::scope, Function.identity()));
        Map<Scope, Running> here = running.computeIfAbsent(set, one -> new HashMap<>());
        Set<Scope> gone = removed.computeIfAbsent(set, one -> new HashSet<>());
        for (Map.Entry<Scope, Running> one : List.copyOf(here.entrySet())) {
            Scope scope = one.getKey();
            WorkerSet.Member member = wanted.get(scope);
            if (member == null || !member.version().equals(one.getValue().version())) {
                one.getValue().started().end();
                here.remove(scope);
                log.info("{}: {}", scope, member == null ? "removed" : "changed, starting it again");
                gone.add(scope);
            }
        }
        gone.removeAll(wanted.keySet());
        gone.removeIf(set::removed);
        wanted.values().forEach(member -> start(here, member));
    }

    /** One that cannot be made must not keep the others from running. */
    private void start(Map<Scope, Running> here, WorkerSet.Member member) {
        boolean isRunning = running.values().stream().anyMatch(all -> all.containsKey(member.scope()));
        if (waiting.isStopped() || isRunning) {
            return;
        }
        try {
            here.put(member.scope(), new Running(member.version(), workers.start(member.create())));
        } catch (RuntimeException e) {
            log.warn(
                    "{}: could not start; trying again in {} s: {}",
                    member.scope(),
                    INTERVAL.toSeconds(),
                    e.getMessage());
        }
    }
}
