package dev.oneroof.core.job;

import dev.oneroof.postgres.UserTx;

/**
 * Does a job whose effects are in this database. They are committed together with the end of the job, or not at all: so
 * they happen exactly once. A job that is to be tried again, or snoozes, has not ended: of that attempt nothing is
 * committed. Nor is it where the handler abandons the transaction; what it returns then counts all the same.
 */
@FunctionalInterface
public interface TxJobHandler {
    Outcome handle(UserTx tx, Job job) throws Exception;
}
