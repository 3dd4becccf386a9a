package dev.oneroof.app.http;

import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.Findings;
import dev.oneroof.core.operator.MetricsReport;
import dev.oneroof.core.operator.MetricsView;
import dev.oneroof.core.operator.StatusReport;
import dev.oneroof.core.operator.StatusView;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the server knows of the whole pipeline, read at most once in two seconds however many ask: a monitor, a browser and
 * Prometheus together cost the database no more than one of them. It reads the health view and summaries, no source.
 */
public final class Pipeline {
    private static final Duration FRESH = Duration.ofSeconds(2);

    private final String instance;
    private final Database db;
    private final LongSupplier nanos;
    private volatile boolean started;
    private volatile boolean stopping;
    private @Nullable Snapshot last;
    private long lastNanos;

    /** @param nanos a clock that only goes forward */
    public Pipeline(String instance, Database db, LongSupplier nanos) {
        this.instance = instance;
        this.db = db;
        this.nanos = nanos;
    }

    /**
     * What was read, or why it could not be.
     *
     * @param status null while the database does not answer
     */
    public record Snapshot(
            String instance,
            Instant at,
            String verdict,
            @Nullable StatusView status,
            List<Instances.Instance> instances,
            List<FindingView> findings,
            MetricsView metrics) {
        boolean isHealthy() {
            return status != null && status.healthy();
        }
    }

    /** The instance has started all that it runs. */
    public void started() {
        started = true;
    }

    /** The instance drains. */
    public void stopping() {
        stopping = true;
    }

    boolean isStarted() {
        return started;
    }

    boolean isReady() {
        return started && !stopping && snapshot().status() != null;
    }

    String notReadyReason() {
        return stopping ? "draining" : started ? snapshot().verdict() : "starting";
    }

    synchronized Snapshot snapshot() {
        Snapshot known = last;
        if (known == null || nanos.getAsLong() - lastNanos > FRESH.toNanos()) {
            known = read();
            last = known;
            lastNanos = nanos.getAsLong();
        }
        return known;
    }

    private Snapshot read() {
        try {
            StatusView status = new StatusReport(db).view();
            return new Snapshot(
                    instance,
                    Instant.now(),
                    status.verdict(),
                    status,
                    new Instances(db).list(),
                    new Findings(db).open(),
                    new MetricsReport(db).view());
        } catch (RuntimeException e) {
            return new Snapshot(
                    instance,
                    Instant.now(),
                    "the database does not answer: " + e.getMessage(),
                    null,
                    List.of(),
                    List.of(),
                    MetricsView.EMPTY);
        }
    }
}
