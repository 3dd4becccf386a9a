package dev.oneroof.testkit;

import dev.oneroof.testkit.check.DatabaseLeftovers;
import dev.oneroof.testkit.check.Invariants;
import dev.oneroof.testkit.check.Leftover;
import dev.oneroof.testkit.check.TestThreads;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/** What one running test has: made on demand, looked at after the test, then taken away. */
final class TestScope implements AutoCloseable {
    private final ServerChoice choice;
    private final TestThreads threads;
    private final Invariants invariants = new Invariants();
    private @Nullable OwnServer ownServer;
    private @Nullable TestDatabase database;
    private @Nullable Seeded seeded;

    private TestScope(ServerChoice choice, TestThreads threads) {
        this.choice = choice;
        this.threads = threads;
    }

    static TestScope of(ExtensionContext context) {
        return new TestScope(ServerChoice.of(context), new TestThreads(context.getDisplayName()));
    }

    TestThreads threads() {
        return threads;
    }

    Invariants invariants() {
        return invariants;
    }

    synchronized TestDatabase database() {
        if (database == null) {
            database = choice.own()
                    ? ownServer().newDatabase()
                    : choice.sharedServer().newDatabase();
        }
        return database;
    }

    synchronized OwnServer ownServer() {
        if (!choice.own()) {
            throw new ParameterResolutionException("An OwnServer outside the test method needs"
                    + " @OneRoofTest(ownServer = true), or the test's database would be on another server.");
        }
        if (ownServer == null) {
            ownServer = OwnServer.start(choice.version());
        }
        return ownServer;
    }

    synchronized Seeded seeded() {
        if (seeded == null) {
            seeded = Seeded.fresh();
        }
        return seeded;
    }

    /** Fails the test for what it has left, and tells the seed if it fails or has failed. */
    synchronized void check(@Nullable Throwable failure) {
        if (failure != null && seeded != null) {
            failure.addSuppressed(seeded.note());
        }
        List<Leftover> leftovers = leftovers();
        if (!leftovers.isEmpty()) {
            AssertionError error = Leftover.failure(leftovers);
            if (seeded != null) {
                error.addSuppressed(seeded.note());
            }
            throw error;
        }
    }

    /** Threads first: one that is about to end may be about to close its connection too. */
    private List<Leftover> leftovers() {
        List<Leftover> found = new ArrayList<>(threads.leftovers());
        if (database != null) {
            found.addAll(DatabaseLeftovers.in(database));
            if (database.reachable()) {
                found.addAll(invariants.brokenIn(database));
            }
        }
        return found;
    }

    @Override
    public synchronized void close() {
        threads.close();
        if (ownServer != null) {
            ownServer.close();
        } else if (database != null) {
            database.close();
        }
    }
}
