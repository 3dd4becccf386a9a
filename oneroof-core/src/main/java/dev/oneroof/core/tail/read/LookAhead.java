package dev.oneroof.core.tail.read;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.UserTx;
import java.sql.ResultSet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the next page of a backlog while the current one is handled: otherwise the server would idle while Java works,
 * and Java while the server does.
 *
 * <p>This is sound only for pages below a cleared bound: any transaction sees the same rows there at any time. It does
 * not see what the handler writes.
 *
 * <p>It is an optimisation only. It has its own thread and connection for the time of one batch, a process has few of
 * them, and no batch waits until it has them. Until then, and whenever the page is not the next one or cannot be read,
 * the batch reads that page itself, and any error is raised there.
 */
public final class LookAhead implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LookAhead.class);

    /** For the whole process: each takes a connection, and pools are sized for one connection per worker. */
    private static final Semaphore FREE =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    // Does not wait for locks: a session that waits for a lock on a table that the batch reads would block this reader,
    // and the batch waits for this reader.
    private static final String LIMIT_LOCK_WAIT = "SELECT set_config('lock_timeout', '20ms', true)";

    private final Database db;
    private final Consumer<Tx> settings;
    private final long endNanos;
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private @Nullable Thread reader;
    private @Nullable Request requested;
    private long requestedNanos;

    /** Whether the reader has its connection. */
    private volatile boolean ready;
    /** Whether it reads no further page. */
    private volatile boolean stopped;

    /** A page to be read; without a page it ends the reader. */
    private record Request(@Nullable KeysetPage page, String sql, CompletableFuture<ResultSet> rows) {}

    /**
     * For one batch.
     *
     * @param settings the settings for every read
     * @param beginNanos when the batch started its first page
     * @param endNanos when the batch starts no further page
     */
    public LookAhead(Database db, Consumer<Tx> settings, long beginNanos, long endNanos) {
        this.db = db;
        this.settings = settings;
        this.requestedNanos = beginNanos;
        this.endNanos = endNanos;
    }

    /** Starts to read a page, if the batch will last long enough to use it. */
    public void read(KeysetPage page, String sql) {
        long now = System.nanoTime();
        boolean wanted = now + (now - requestedNanos) - endNanos < 0;
        requestedNanos = now;
        if (!wanted || stopped || (reader == null && !FREE.tryAcquire())) {
            return;
        }
        if (reader == null) {
            reader = Thread.ofPlatform().daemon().name("oneroof-look-ahead").start(this::run);
        }
        Request request = new Request(page, sql, new CompletableFuture<>());
        requested = request;
        requests.add(request);
        if (stopped) {
            request.rows().cancel(false);
        }
    }

    /**
     * The rows of this page, if they were read ahead; null otherwise. They stay valid until the page after next is
     * requested.
     */
    @Nullable
    public ResultSet taken(KeysetPage page) {
        Request request = requested;
        requested = null;
        if (request == null) {
            return null;
        }
        if (!ready || !page.equals(request.page())) {
            request.rows().cancel(false);
            return null;
        }
        try {
            return request.rows().join();
        } catch (CancellationException | CompletionException e) {
            log.debug("{}: the page could not be read ahead", page.source().name(), e);
            return null;
        }
    }

    private void run() {
        try {
            db.useTx(tx -> {
                tx.abandon();
                if (!stopped) {
                    settings.accept(tx);
                    tx.query(LIMIT_LOCK_WAIT).mapTo(String.class).one();
                    ready = true;
                    readRequests(tx.asWritten());
                }
            });
        } catch (RuntimeException e) {
            log.debug("pages cannot be read ahead", e);
        } finally {
            FREE.release();
            stopped = true;
            requests.forEach(request -> request.rows().cancel(false));
        }
    }

    private void readRequests(UserTx tx) {
        Deque<Query> open = new ArrayDeque<>();
        try {
            int turn = 0;
            for (Request next = requests.take(); next.page() != null; next = requests.take()) {
                // After a failure no further page is read, but the rows of the last page stay until they are handled.
                if (stopped) {
                    next.rows().cancel(false);
                } else if (!next.rows().isCancelled()) {
                    fetch(tx, open, turn++, next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fetch(UserTx tx, Deque<Query> open, int turn, Request request) {
        try {
            // The rows of the last page are being handled; those before are not needed any more.
            if (open.size() == 2) {
                open.remove().close();
            }
            KeysetPage page = Objects.requireNonNull(request.page());
            // Two texts in turn: the driver prepares a statement again if one with the same text is still open.
            Query query = tx.scrollableQuery(turn % 2 == 0 ? request.sql() : request.sql() + " ");
            open.add(query);
            request.rows().complete(tx.fetched(query.bindMap(page.parameters())));
        } catch (RuntimeException | Error e) {
            stopped = true;
            request.rows().completeExceptionally(e);
        }
    }

    /**
     * Ends the reader. A reader that still waits for a connection, or reads a page that is not needed, ends by itself:
     * it may be waiting for the caller.
     */
    @Override
    public void close() {
        Thread ending = reader;
        if (ending == null) {
            return;
        }
        Request unwanted = requested;
        boolean isIdle = ready && (unwanted == null || unwanted.rows().isDone());
        stopped = true;
        if (unwanted != null) {
            unwanted.rows().cancel(false);
        }
        requests.add(new Request(null, "", new CompletableFuture<>()));
        boolean interrupted = false;
        while (isIdle && ending.isAlive()) {
            try {
                ending.join();
            } catch (InterruptedException e) {
                // The reader only releases its connection.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
