package dev.oneroof.core.job;

import dev.oneroof.postgres.UserTx;

/**
 * Runs a job whose effects are in this database. They are committed together with the end of the job, or not at all: so
 * they happen exactly once. An attempt that ends in a retry or a snooze commits nothing. Nor does a handler that abandons the
 * transaction; its outcome counts all the same.
 */
@FunctionalInterface
public interface TxJobHandler {
    Outcome handle(UserTx tx, Job job) throws Exception;
}
