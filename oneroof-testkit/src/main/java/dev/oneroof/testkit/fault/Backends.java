package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;

/**
 * The sessions on a test's database: to look at, to cancel, to end. Neither the one that looks is among them, nor those
 * that the testkit keeps idle.
 */
public final class Backends {
    private static final String LIST = """
            SELECT pid,
                   application_name,
                   coalesce(state, 'starting') AS state,
                   xact_start IS NOT NULL AS in_transaction,
                   coalesce(wait_event_type = 'Lock', false) AS waiting_for_lock,
                   coalesce(query, '') AS query
            FROM pg_stat_activity
            WHERE datname = ? AND pid <> pg_backend_pid() AND backend_type IN ('client backend', 'walsender')
            ORDER BY backend_start
            """;

    private final TestDatabase database;

    private Backends(TestDatabase database) {
        this.database = database;
    }

    public static Backends of(TestDatabase database) {
        return new Backends(database);
    }

    public List<Backend> list() {
        database.endIdleSessions();
        return database.onServer(sql -> sql.list(
                row -> new Backend(
                        row.getInt("pid"),
                        row.getString("application_name"),
                        row.getString("state"),
                        row.getBoolean("in_transaction"),
                        row.getBoolean("waiting_for_lock"),
                        row.getString("query")),
                LIST,
                database.name()));
    }

    public List<Backend> list(String application) {
        return list().stream()
                .filter(backend -> backend.application().equals(application))
                .toList();
    }

    /** Ends all sessions and returns how many; they are gone when this returns. */
    public int endAll() {
        return end(list());
    }

    public int end(String application) {
        return end(list(application));
    }

    public int end(List<Backend> backends) {
        int ended = 0;
        for (Backend backend : backends) {
            if (signal("SELECT pg_terminate_backend(?, 10000)", backend)) {
                ended++;
            }
        }
        return ended;
    }

    /** Cancels what all sessions are doing and returns how many were told; they may still be about to stop. */
    public int cancelAll() {
        return cancel(list());
    }

    public int cancel(String application) {
        return cancel(list(application));
    }

    public int cancel(List<Backend> backends) {
        int cancelled = 0;
        for (Backend backend : backends) {
            if (signal("SELECT pg_cancel_backend(?)", backend)) {
                cancelled++;
            }
        }
        return cancelled;
    }

    /** Waits until a session of that application waits for a lock, and returns it. */
    public Backend awaitLockWait(String application) {
        return Await.patiently()
                .until(
                        "a session of " + application + " that waits for a lock",
                        () -> list(application).stream()
                                .filter(Backend::waitingForLock)
                                .toList(),
                        waiting -> !waiting.isEmpty())
                .getFirst();
    }

    private boolean signal(String call, Backend backend) {
        return database.onServer(sql -> sql.value(Boolean.class, call, backend.pid()));
    }
}
