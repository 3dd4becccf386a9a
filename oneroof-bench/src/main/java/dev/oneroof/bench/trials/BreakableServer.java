package dev.oneroof.bench.trials;

import dev.oneroof.postgres.DatabaseAddress;

/** A server that a trial may end as a crash would, and start again on the same port. */
public interface BreakableServer {
    DatabaseAddress address();

    void crash();

    void start();
}
