package dev.oneroof.testkit.fault;

/** A session as the server sees it. The state is PostgreSQL's word: active, idle, idle in transaction. */
public record Backend(
        int pid, String application, String state, boolean inTransaction, boolean waitingForLock, String query) {}
