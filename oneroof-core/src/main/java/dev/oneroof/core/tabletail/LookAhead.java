package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
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
 * <p>Nothing depends on it. It has a thread and a connection of its own for as long as one batch lasts, and nobody waits
 * for it to get them. Until then, and whenever a page turns out not to be the next one or cannot be read, that page is
 * read in the ordinary way, and fails or does not fail there.
 */
final class LookAhead implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LookAhead.class);

    private final Database db;
    private final Consumer<Tx> settings;
    private final long endNanos;
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private @Nullable Thread reader;
    private @Nullable Request begun;
    private long begunNanos = System.nanoTime();

    /** Whether the reader has its connection. */
    private volatile boolean ready;
    /** Whether it takes no more requests. */
    private volatile boolean over;

    /** A page to be read; without one it is the end. */
    private record Request(@Nullable KeysetPage page, String sql, CompletableFuture<ResultSet> rows) {}

    /**
     * For one batch.
     *
     * @param settings what holds for every read
     * @param endNanos when the batch will take no further page
     */
    LookAhead(Database db, Consumer<Tx> settings, long endNanos) {
        this.db = db;
        this.settings = settings;
        this.endNanos = endNanos;
    }

    /** Begins to read a page, if the batch will last long enough to want it. */
    void read(KeysetPage page, String sql) {
        long now = System.nanoTime();
        boolean wanted = now + (now - begunNanos) - endNanos < 0;
        begunNanos = now;
        if (!wanted) {
            return;
        }
        if (reader == null) {
            reader = Thread.ofPlatform().daemon().name("oneroof-look-ahead").start(this::run);
        }
        begun = new Request(page, sql, new CompletableFuture<>());
        requests.add(begun);
        if (over) {
            begun.rows().cancel(false);
        }
    }

    /** The rows of this page, if they are read ahead; null otherwise. They are there until the page after next is begun. */
    @Nullable
    ResultSet taken(KeysetPage page) {
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
                settings.accept(tx);
                ready = true;
                readOn(tx);
            });
        } catch (RuntimeException e) {
            log.debug("no look ahead", e);
        } finally {
            over = true;
            requests.forEach(request -> request.rows().cancel(false));
        }
    }

    private void readOn(Tx tx) {
        Deque<Query> open = new ArrayDeque<>();
        try {
            int turn = 0;
            for (Request next = requests.take(); next.page() != null; next = requests.take()) {
                if (!next.rows().isCancelled()) {
                    // The last one's rows are being handled; those before are not needed any more.
                    if (open.size() == 2) {
                        open.remove().close();
                    }
                    // Two texts in turn: a statement that is still open when its text comes again is prepared anew.
                    Query query = tx.scrollableQuery(turn++ % 2 == 0 ? next.sql() : next.sql() + " ");
                    open.add(query);
                    fetch(tx, query, next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void fetch(Tx tx, Query query, Request request) {
        try {
            KeysetPage page = Objects.requireNonNull(request.page());
            request.rows().complete(tx.fetched(query.bindMap(page.parameters())));
        } catch (RuntimeException e) {
            request.rows().completeExceptionally(e);
            throw e;
        }
    }

    /** Ends the reading. A reader that has no connection yet is left to itself: it may be waiting for the caller's. */
    @Override
    public void close() {
        Thread ending = reader;
        if (ending == null) {
            return;
        }
        requests.add(new Request(null, "", new CompletableFuture<>()));
        boolean interrupted = false;
        while (ready && ending.isAlive()) {
            try {
                ending.join();
            } catch (InterruptedException e) {
                // It holds a connection, which is to be given back; its read ends by the timeout at the latest.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
