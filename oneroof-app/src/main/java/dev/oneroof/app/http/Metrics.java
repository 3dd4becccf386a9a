package dev.oneroof.app.http;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.MetricsView;
import dev.oneroof.core.operator.StatusView;
import dev.oneroof.core.worker.Observer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Metrics for Prometheus: counters and timers of this instance by an observer of its loops, gauges of the whole by the
 * pipeline's last snapshot. Labels are names of workers, sources, kinds and states, never ids or texts.
 */
public final class Metrics implements Observer {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final List<String> STATES =
            List.of("dead", "silent", "stuck", "unwatched", "held", "behind", "working", "quiet");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MultiGauge states = gauge("oneroof.worker.state", "1 for the state that an executor is in");
    private final MultiGauge beats = gauge("oneroof.heartbeat.age.seconds", "Age of an executor's last beat");
    private final MultiGauge lag =
            gauge("oneroof.cursor.lag.seconds", "Age of a cursor's head while it has rows to read, else 0");
    private final MultiGauge settledLag = gauge(
            "oneroof.cursor.settled.lag.seconds",
            "Age of a cursor's settled watermark while it has rows to read, else 0");
    private final MultiGauge jobs = gauge("oneroof.jobs", "Jobs that are due or leased");
    private final MultiGauge jobWait = gauge("oneroof.job.wait.seconds", "How long the oldest due job waits");
    private final MultiGauge deadLetters = gauge("oneroof.dead.letters", "Dead letters that wait for an operator");
    private final MultiGauge findings = gauge("oneroof.findings.open", "Findings that are not resolved");
    private final MultiGauge build = gauge("oneroof.build.info", "1 for the version that runs");

    private final Pipeline pipeline;

    public Metrics(Pipeline pipeline, String version) {
        this.pipeline = pipeline;
        build.register(List.of(row(1, "version", version)));
    }

    private MultiGauge gauge(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    @Override
    public void passEnded(String worker, String source, long rows, Duration took) {
        if (rows > 0) {
            Counter.builder("oneroof.rows.processed")
                    .description("Rows that were handled and committed")
                    .tags("worker", worker, "source", source)
                    .register(registry)
                    .increment((double) rows);
            Timer.builder("oneroof.batch.duration")
                    .description("Time of a pass that handled rows")
                    .tags("worker", worker)
                    .register(registry)
                    .record(took);
        }
    }

    @Override
    public void claimed(String worker, String source, boolean takenOver) {
        Counter takeovers = Counter.builder("oneroof.lease.takeovers")
                .description("Leases that were taken over from an owner that had not given them back")
                .tags("worker", worker)
                .register(registry);
        if (takenOver) {
            takeovers.increment();
        }
    }

    String scrape() {
        Pipeline.Snapshot snapshot = pipeline.snapshot();
        StatusView status = snapshot.status();
        if (status != null) {
            update(status, snapshot.metrics());
            findings.register(
                    Arrays.stream(FindingView.Severity.values())
                            .map(severity -> row(
                                    snapshot.findings().stream()
                                            .filter(finding -> finding.severity() == severity)
                                            .count(),
                                    "severity",
                                    severity.name().toLowerCase(Locale.ROOT)))
                            .toList(),
                    true);
        }
        return registry.scrape();
    }

    private void update(StatusView status, MetricsView metrics) {
        List<Health.Line> beating = status.lines().stream()
                .filter(line -> line.source().equals("heartbeat"))
                .toList();
        states.register(
                rows(
                        beating,
                        line -> STATES.stream()
                                .map(state -> row(
                                        state.equals(line.state()) ? 1 : 0, "worker", line.subject(), "state", state))),
                true);
        beats.register(
                rows(
                        beating,
                        line -> Stream.ofNullable(line.ageSeconds()).map(age -> row(age, "worker", line.subject()))),
                true);
        lag.register(
                rows(
                        metrics.cursors(),
                        cursor -> Stream.of(
                                row(cursor.lagSeconds(), "worker", cursor.worker(), "source", cursor.source()))),
                true);
        settledLag.register(
                rows(
                        metrics.cursors(),
                        cursor -> Stream.of(
                                row(cursor.settledLagSeconds(), "worker", cursor.worker(), "source", cursor.source()))),
                true);
        jobs.register(
                rows(
                        metrics.jobs(),
                        kind -> Stream.of(
                                row(kind.queued(), "kind", kind.kind(), "state", "queued"),
                                row(kind.leased(), "kind", kind.kind(), "state", "leased"))),
                true);
        jobWait.register(rows(metrics.jobs(), kind -> Stream.of(row(kind.waitSeconds(), "kind", kind.kind()))), true);
        Map<String, Long> letters = status.lines().stream()
                .filter(line -> line.source().startsWith("dead_letter_"))
                .collect(Collectors.groupingBy(
                        line -> line.source().substring("dead_letter_".length()),
                        Collectors.summingLong(line -> line.count() == null ? 0 : line.count())));
        deadLetters.register(
                rows(List.of("row", "job"), type -> Stream.of(row(letters.getOrDefault(type, 0L), "type", type))),
                true);
    }

    private static <T> List<MultiGauge.Row<?>> rows(List<T> of, Function<T, Stream<MultiGauge.Row<?>>> each) {
        return of.stream().flatMap(each).collect(Collectors.toList());
    }

    private static MultiGauge.Row<?> row(Number value, String... tags) {
        return MultiGauge.Row.of(Tags.of(tags), value);
    }
}
