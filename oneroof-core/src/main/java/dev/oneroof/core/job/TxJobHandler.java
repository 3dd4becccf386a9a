package dev.oneroof.core.job;

import dev.oneroof.postgres.Tx;

/**
 * Does a job whose effects are in this database. They are committed together with the end of the job, or not at all: so
 * they happen exactly once.
 */
@FunctionalInterface
public interface TxJobHandler {
    Outcome handle(Tx tx, Job job) throws Exception;
}
