package dev.oneroof.core.liveness;

import dev.oneroof.core.act.ActStore;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The running instances, and those that stopped without deregistering. */
public final class Instances {
    private final Database db;
    private final InstanceAdminStore store = new InstanceAdminStore();
    private final ActStore acts = new ActStore();

    public Instances(Database db) {
        this.db = db;
    }

    /**
     * A process that runs workers, or ran them.
     *
     * @param holds how many scopes it holds now
     * @param drain the actor and the reason of the drain; null where it is not drained
     * @param pid of its process, on the machine that it runs on; null where it is unknown
     */
    public record Instance(
            String name,
            String state,
            String reason,
            String lastTickAt,
            long ageSeconds,
            long holds,
            String wakeUps,
            @Nullable String drain,
            @Nullable Long pid) {}

    public List<Instance> list() {
        return db.inTx(store::list);
    }

    /**
     * Drains an instance: it ends its current passes, releases all scopes and claims none, until this is undone or the process
     * ends.
     */
    public void drain(String name, OperatorAct by) {
        db.useTx(tx -> {
            demandRunning(name, store.drain(tx, name, "drained by %s: %s".formatted(by.actor(), by.reason())));
            acts.record(tx, "instance_drain", name, by);
        });
    }

    /** Lets it claim scopes again. */
    public void undoDrain(String name, OperatorAct by) {
        db.useTx(tx -> {
            demandRunning(name, store.undoDrain(tx, name));
            acts.record(tx, "instance_drain_undo", name, by);
        });
    }

    /** Removes an instance that is gone and will not return under its name. */
    public void forget(String name, OperatorAct by) {
        db.useTx(tx -> {
            if (!store.remove(tx, name)) {
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "instance: no '%s' is gone; 'oneroof instance list' has those that are, as dead or silent"
                                .formatted(name));
            }
            acts.record(tx, "instance_forget", name, by);
        });
    }

    private static void demandRunning(String name, boolean found) {
        if (!found) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "instance: no '%s' is running; 'oneroof instance list' has those that are".formatted(name));
        }
    }
}
