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
 * Reads the next page of a sweep while one is handled: otherwise the server would rest while Java works, and Java while
 * the server does.
 *
 * <p>That is sound for pages below a cleared bound, and only there: their rows are visible, or never will be, whenever one
 * looks and in whichever transaction. It does not see what the handler writes.
 *
 * <p>Nothing depends on it. It has a thread and a connection of its own for as long as one batch lasts, few of them in a
 * process, and nobody waits for it to get them. Until then, and whenever a page turns out not to be the next one or cannot
 * be read, that page is read in the ordinary way, and fails or does not fail there.
 */
public final class LookAhead implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LookAhead.class);

    /** In the whole process: each takes a connection, and pools are made for one to a worker. */
    private static final Semaphore FREE =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    // Whoever waits for the lock of a table that the batch itself is reading would be waited for by both.
    private static final String NO_WAITING = "SELECT set_config('lock_timeout', '20ms', true)";

    private final Database db;
    private final Consumer<Tx> settings;
    private final long endNanos;
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private @Nullable Thread reader;
    private @Nullable Request begun;
    private long begunNanos;

    /** Whether the reader has its connection. */
    private volatile boolean ready;
    /** Whether it reads no more. */
    private volatile boolean over;

    /** A page to be read; without one it is the end. */
    private record Request(@Nullable KeysetPage page, String sql, CompletableFuture<ResultSet> rows) {}

    /**
     * For one batch.
     *
     * @param settings what holds for every read
     * @param beginNanos when the batch began with its first page
     * @param endNanos when it will take no further one
     */
    public LookAhead(Database db, Consumer<Tx> settings, long beginNanos, long endNanos) {
        this.db = db;
        this.settings = settings;
        this.begunNanos = beginNanos;
        this.endNanos = endNanos;
    }

    /** Begins to read a page, if the batch will last long enough to want it. */
    public void read(KeysetPage page, String sql) {
        long now = System.nanoTime();
        boolean wanted = now + (now - begunNanos) - endNanos < 0;
        begunNanos = now;
        if (!wanted || over || (reader == null && !FREE.tryAcquire())) {
            return;
        }
        if (reader == null) {
            reader = Thread.ofPlatform().daemon().name("oneroof-look-ahead").start(this::run);
        }
        Request request = new Request(page, sql, new CompletableFuture<>());
        begun = request;
        requests.add(request);
        if (over) {
            request.rows().cancel(false);
        }
    }

    /** The rows of this page, if they are read ahead; null otherwise. They are there until the page after next is begun. */
    @Nullable
    public ResultSet taken(KeysetPage page) {
        Request request = begun;
        begun = null;
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
            log.debug("{}: not read ahead", page.source().name(), e);
            return null;
        }
    }

    private void run() {
        try {
            db.useTx(tx -> {
                tx.abandon();
                if (!over) {
                    settings.accept(tx);
                    tx.query(NO_WAITING).mapTo(String.class).one();
                    ready = true;
                    readOn(tx.asWritten());
                }
            });
        } catch (RuntimeException e) {
            log.debug("no look ahead", e);
        } finally {
            FREE.release();
            over = true;
            requests.forEach(request -> request.rows().cancel(false));
        }
    }

    private void readOn(UserTx tx) {
        Deque<Query> open = new ArrayDeque<>();
        try {
            int turn = 0;
            for (Request next = requests.take(); next.page() != null; next = requests.take()) {
                // After a failure the rest is not read; but the rows of the last page stay until they are handled.
                if (over) {
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
            // The last one's rows are being handled; those before are not needed any more.
            if (open.size() == 2) {
                open.remove().close();
            }
            KeysetPage page = Objects.requireNonNull(request.page());
            // Two texts in turn: a statement that is still open when its text comes again is prepared anew.
            Query query = tx.scrollableQuery(turn % 2 == 0 ? request.sql() : request.sql() + " ");
            open.add(query);
            request.rows().complete(tx.fetched(query.bindMap(page.parameters())));
        } catch (RuntimeException | Error e) {
            over = true;
            request.rows().completeExceptionally(e);
        }
    }

    /**
     * Ends the reading. Who is still waiting for a connection, or reading a page that is not wanted, is left to end by
     * itself: it may be waiting for the caller.
     */
    @Override
    public void close() {
        Thread ending = reader;
        if (ending == null) {
            return;
        }
        Request unwanted = begun;
        boolean isIdle = ready && (unwanted == null || unwanted.rows().isDone());
        over = true;
        if (unwanted != null) {
            unwanted.rows().cancel(false);
        }
        requests.add(new Request(null, "", new CompletableFuture<>()));
        boolean interrupted = false;
        while (isIdle && ending.isAlive()) {
            try {
                ending.join();
            } catch (InterruptedException e) {
                // It only gives its connection back.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
