package dev.oneroof.app.doctor;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.core.feature.CheckResult;
import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.operator.StatusReport;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceCheck;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.ListenState;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.text.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks of OneRoof's own tables, its sources and its workers. */
final class DataChecks {
    // Sessions of all databases count against the limit.
    private static final String CONNECTIONS = """
            SELECT (SELECT sum(numbackends) FROM pg_catalog.pg_stat_database) AS used,
                   current_setting('max_connections')::integer
                       - current_setting('superuser_reserved_connections')::integer AS allowed
            """;

    private static final String VACUUM = """
            SELECT c.relname,
                   s.n_dead_tup AS dead,
                   s.n_live_tup AS live,
                   coalesce(array_to_string(c.reloptions, ',') ~ 'autovacuum_enabled=(false|off|0)', false)
                       OR current_setting('autovacuum') = 'off' AS off
            FROM pg_catalog.pg_stat_all_tables s
            JOIN pg_catalog.pg_class c ON c.oid = s.relid
            WHERE s.relid IN (
                'oneroof.queue_heartbeat'::regclass, 'oneroof.gov_worker_cursor'::regclass,
                'oneroof.tail_stretch'::regclass, 'oneroof.event_pending'::regclass)
            ORDER BY c.relname
            """;

    private static final String FINDINGS = """
            SELECT issue_type, severity, count(*) AS count, min(summary) AS summary
            FROM oneroof.system_issues
            WHERE status <> 'resolved'
            GROUP BY issue_type, severity
            ORDER BY severity, issue_type
            """;

    private static final List<String> BAD_STATES = List.of("dead", "silent", "stuck");

    private final AppConfig config;
    private final Database db;

    DataChecks(AppConfig config, Database db) {
        this.config = config;
        this.db = db;
    }

    List<CheckResult> connections() {
        long instances = new Instances(db)
                .list().stream().filter(one -> !one.state().equals("dead")).count();
        return db.inTx(tx -> tx.query(CONNECTIONS)
                .map((row, context) -> {
                    long used = row.getLong("used");
                    long allowed = row.getLong("allowed");
                    String evidence = "%d of %d connections are in use; %s with up to %d each"
                            .formatted(used, allowed, Counted.of(instances, "instance"), config.poolSize());
                    boolean tight = used > allowed * 0.8 || instances * config.poolSize() > allowed;
                    return tight
                            ? CheckResult.warn("connections", evidence, "raise max_connections, or lower db.pool_size")
                            : CheckResult.ok("connections", evidence);
                })
                .list());
    }

    List<CheckResult> vacuum() {
        List<CheckResult> found = db.inTx(tx -> tx.query(VACUUM)
                .map((row, context) -> {
                    String table = row.getString("relname");
                    long dead = row.getLong("dead");
                    String evidence = "%s: %s beside %s%s"
                            .formatted(
                                    table,
                                    Counted.of(dead, "dead row"),
                                    Counted.of(row.getLong("live"), "live one"),
                                    row.getBoolean("off") ? ", autovacuum off" : "");
                    return row.getBoolean("off") || dead > 20_000 + row.getLong("live")
                            ? CheckResult.warn(
                                    "vacuum",
                                    evidence,
                                    "VACUUM %s.%s".formatted(config.schema().schema(), table))
                            : CheckResult.ok("vacuum", evidence);
                })
                .list());
        return summed(found, "vacuum", "the hot tables have few dead rows");
    }

    List<CheckResult> sources() {
        Sources sources = new Sources(db);
        List<CheckResult> found = new ArrayList<>();
        for (TailSource source : sources.list()) {
            SourceCheck check = sources.check(source.name());
            check.broken()
                    .forEach(broken -> found.add(CheckResult.fail(
                            "sources", source.name() + ": " + broken, "oneroof source check " + source.name())));
            check.warnings()
                    .forEach(warning -> found.add(CheckResult.warn(
                            "sources", source.name() + ": " + warning, "oneroof source check " + source.name())));
        }
        return found.isEmpty() ? List.of(CheckResult.ok("sources", "all are as registered")) : found;
    }

    List<CheckResult> workers() {
        List<Executor> all = new Executors(db).workers();
        List<CheckResult> found = new ArrayList<>();
        for (Executor worker : all) {
            String evidence = "%s is %s: %s".formatted(worker.name(), worker.state(), worker.reason());
            if (BAD_STATES.contains(worker.state())) {
                found.add(CheckResult.fail("workers", evidence, "oneroof worker show " + worker.name()));
            } else if (worker.state().equals("held") || worker.state().equals("behind")) {
                found.add(CheckResult.warn("workers", evidence, "oneroof worker show " + worker.name()));
            }
        }
        return found.isEmpty()
                ? List.of(CheckResult.ok("workers", "%d registered, none has a problem".formatted(all.size())))
                : found;
    }

    /** Kinds whose jobs wait and schedules that do not fire, as {@code oneroof status} shows them. */
    List<CheckResult> jobs() {
        List<CheckResult> found = new Health(db)
                .lines().stream()
                        .filter(line -> StatusReport.isWaitingKind(line) || StatusReport.isUnfired(line))
                        .map(this::problem)
                        .toList();
        return found.isEmpty()
                ? List.of(CheckResult.ok(
                        "jobs", "no job waits longer than its kind allows, every schedule that is not paused fires"))
                : found;
    }

    private CheckResult problem(Health.Line line) {
        String evidence = "%s: %s".formatted(StatusReport.name(line), line.reason());
        String fix = line.source().equals("schedule")
                ? "oneroof schedule show " + line.subject()
                : fixOf(line.subject(), String.valueOf(line.state()));
        return BAD_STATES.contains(String.valueOf(line.state()))
                ? CheckResult.fail("jobs", evidence, fix)
                : CheckResult.warn("jobs", evidence, fix);
    }

    private String fixOf(String kind, String state) {
        if (!state.equals("held")) {
            return "start a worker for this kind, or more workers";
        }
        return db.inTx(tx -> new GateStore().isOpen(tx, Gates.JOBS))
                ? "oneroof job resume %s --reason TEXT".formatted(kind)
                : "oneroof gate open %s --reason TEXT".formatted(Gates.JOBS);
    }

    List<CheckResult> wakeUps() {
        boolean open = db.inTx(tx -> new GateStore().isOpen(tx, Gates.WAKE_UPS));
        List<Instances.Instance> notReceiving = new Instances(db)
                .list().stream()
                        .filter(one -> one.wakeUps().equals(ListenState.NOT_RECEIVING.word()))
                        .toList();
        if (open && !notReceiving.isEmpty()) {
            return List.of(CheckResult.warn(
                    "wake-ups",
                    "%s receives none; its workers poll"
                            .formatted(notReceiving.getFirst().name()),
                    "connect it to the server directly, not through a proxy that pools transactions"));
        }
        return List.of(CheckResult.ok(
                "wake-ups", open ? "received by every instance that waits for them" : "off: their gate is closed"));
    }

    List<CheckResult> findings() {
        List<CheckResult> found = db.inTx(tx -> tx.query(FINDINGS)
                .map((row, context) -> {
                    String evidence = "%d of %s, %s: %s"
                            .formatted(
                                    row.getLong("count"),
                                    row.getString("issue_type"),
                                    row.getString("severity"),
                                    row.getString("summary"));
                    String fix = "see %s in docs/runbook.md".formatted(row.getString("issue_type"));
                    return row.getString("severity").equals("critical")
                            ? CheckResult.fail("findings", evidence, fix)
                            : CheckResult.warn("findings", evidence, fix);
                })
                .list());
        return found.isEmpty() ? List.of(CheckResult.ok("findings", "none is open")) : found;
    }

    List<CheckResult> instances() {
        List<Instances.Instance> all = new Instances(db).list();
        List<CheckResult> found = all.stream()
                .filter(one -> BAD_STATES.contains(one.state()))
                .map(one -> CheckResult.fail(
                        "instances",
                        "%s is %s: %s".formatted(one.name(), one.state(), one.reason()),
                        "stop or start its process; if it is gone for good: oneroof instance forget %s --reason TEXT"
                                .formatted(one.name())))
                .toList();
        if (all.isEmpty()) {
            return List.of(CheckResult.warn("instances", "none is running", "start your program, or oneroof demo"));
        }
        return found.isEmpty()
                ? List.of(CheckResult.ok("instances", "%d, none has a problem".formatted(all.size())))
                : found;
    }

    /**
     * A closed gate is a choice, and most are closed when OneRoof is installed: workers and jobs that wait for one are
     * reported by their own checks. Without the heartbeat gate no worker would be reported.
     */
    List<CheckResult> gates() {
        return db.inTx(tx -> {
            GateStore gates = new GateStore();
            Optional<String> unwatched = gates.whyClosed(tx, Gates.HEARTBEAT);
            if (unwatched.isPresent()) {
                return List.of(CheckResult.warn(
                        "gates", unwatched.get(), "oneroof gate open %s --reason TEXT".formatted(Gates.HEARTBEAT)));
            }
            List<String> open =
                    gates.list(tx).stream().filter(Gate::open).map(Gate::key).toList();
            return List.of(
                    CheckResult.ok("gates", "open: %s; the others are closed".formatted(String.join(", ", open))));
        });
    }

    private static List<CheckResult> summed(List<CheckResult> all, String check, String fine) {
        List<CheckResult> problems =
                all.stream().filter(one -> one.level() != CheckResult.Level.OK).toList();
        return problems.isEmpty() ? List.of(CheckResult.ok(check, fine)) : problems;
    }
}
