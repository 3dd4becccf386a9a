package dev.oneroof.app.demo;

import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.governance.registrybackfill.BackfillSweep;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The gates that the demo needs. It opens them for a time, so that one that is killed leaves nothing open for ever; the next
 * one takes what that one opened for its own. An act of an operator on a gate meanwhile is kept.
 */
final class DemoGates {
    private static final Duration TIME = Duration.ofHours(1);
    private static final Set<String> NEEDED = Set.of(BackfillSweep.GATE, DemoFiles.GATE);
    private static final String ACTOR = "demo";
    private static final String BEGIN = "the demo runs everything";
    private static final String END = "the demo has ended";

    private final GateStore gates = new GateStore();
    private final Database db;
    private final Set<String> opened;
    private long renewedAt = System.nanoTime();

    private DemoGates(Database db, Set<String> opened) {
        this.db = db;
        this.opened = opened;
    }

    /** Opens those that are closed, and those that a demo before this one has left open. */
    static DemoGates open(Database db, DemoProgress progress) {
        List<Gate> found = db.inTx(tx -> new GateStore().list(tx)).stream()
                .filter(gate -> NEEDED.contains(gate.key()) && (!gate.open() || isOfADemo(gate)))
                .toList();
        found.forEach(gate -> progress.say("opening gate %s while the demo runs".formatted(gate.key())));
        DemoGates opened = new DemoGates(db, found.stream().map(Gate::key).collect(Collectors.toSet()));
        opened.open(found);
        return opened;
    }

    private static boolean isOfADemo(Gate gate) {
        return gate.actor().equals(ACTOR)
                && (gate.reason().equals(BEGIN) || gate.reason().equals(END));
    }

    /** Before their time is over; and at once where another demo, which has ended meanwhile, has closed one. */
    void keepOpen() {
        long now = System.nanoTime();
        boolean isDue = now - renewedAt > TIME.dividedBy(2).toNanos();
        open(ours().stream().filter(gate -> isDue || !gate.open()).toList());
        renewedAt = isDue ? now : renewedAt;
    }

    void close() {
        ours().forEach(gate -> db.useTx(tx -> gates.close(tx, gate.key(), ACTOR, END)));
    }

    private List<Gate> ours() {
        return db.inTx(gates::list).stream()
                .filter(gate -> opened.contains(gate.key()) && isOfADemo(gate))
                .toList();
    }

    private void open(List<Gate> some) {
        some.forEach(gate -> db.useTx(tx -> gates.openFor(tx, gate.key(), TIME, ACTOR, BEGIN)));
    }
}
