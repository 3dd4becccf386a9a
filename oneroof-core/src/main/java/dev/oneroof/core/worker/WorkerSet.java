package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Scope;
import java.util.List;
import java.util.function.Supplier;

/**
 * Workers that change at run time, such as those that rows declare. An instance asks for the members every two seconds: it
 * starts those that are new, ends those that are gone, and replaces those whose version has changed.
 */
public interface WorkerSet {
    /** The members there are now. Called from a thread of its own; may query, may throw: then nothing changes. */
    List<Member> members();

    /** Called after the last pass of a member that is gone; may remove what it left. Called again until it returns true. */
    default boolean removed(Scope scope) {
        return true;
    }

    /**
     * A worker that should run.
     *
     * @param version another value means another worker in its place
     */
    record Member(Scope scope, Object version, Supplier<Worker> factory) {
        public Worker create() {
            return factory.get();
        }
    }
}
