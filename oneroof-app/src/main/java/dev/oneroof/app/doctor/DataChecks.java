package dev.oneroof.app.doctor;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceCheck;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.ListenState;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.text.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What concerns OneRoof's own tables, its sources and its workers. */
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

    List<Checked> connections() {
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
                            ? Checked.warn("connections", evidence, "raise max_connections, or lower db.pool_size")
                            : Checked.ok("connections", evidence);
                })
                .list());
    }

    List<Checked> vacuum() {
        List<Checked> found = db.inTx(tx -> tx.query(VACUUM)
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
                            ? Checked.warn(
                                    "vacuum",
                                    evidence,
                                    "VACUUM %s.%s".formatted(config.schema().schema(), table))
                            : Checked.ok("vacuum", evidence);
                })
                .list());
        return summed(found, "vacuum", "the hot tables are tidy");
    }

    List<Checked> sources() {
        Sources sources = new Sources(db);
        List<Checked> found = new ArrayList<>();
        for (TailSource source : sources.list()) {
            SourceCheck check = sources.check(source.name());
            check.broken()
                    .forEach(broken -> found.add(Checked.fail(
                            "sources", source.name() + ": " + broken, "oneroof source check " + source.name())));
            check.warnings()
                    .forEach(warning -> found.add(Checked.warn(
                            "sources", source.name() + ": " + warning, "oneroof source check " + source.name())));
        }
        return found.isEmpty() ? List.of(Checked.ok("sources", "all are as they were registered")) : found;
    }

    List<Checked> workers() {
        List<Executor> all = new Executors(db).workers();
        List<Checked> found = new ArrayList<>();
        for (Executor worker : all) {
            String evidence = "%s is %s: %s".formatted(worker.name(), worker.state(), worker.reason());
            if (BAD_STATES.contains(worker.state())) {
                found.add(Checked.fail("workers", evidence, "oneroof worker show " + worker.name()));
            } else if (worker.state().equals("held") || worker.state().equals("behind")) {
                found.add(Checked.warn("workers", evidence, "oneroof worker show " + worker.name()));
            }
        }
        return found.isEmpty()
                ? List.of(Checked.ok("workers", "%d registered, none is amiss".formatted(all.size())))
                : found;
    }

    /** Kinds whose jobs wait, and schedules that are not fired: the same that {@code oneroof status} tells of. */
    List<Checked> jobs() {
        List<Checked> found = new Health(db)
                .lines().stream()
                        .filter(line -> JobLines.isWaitingKind(line) || JobLines.isUnfired(line))
                        .map(this::amiss)
                        .toList();
        return found.isEmpty()
                ? List.of(Checked.ok(
                        "jobs",
                        "none waits for longer than its kind allows, every schedule that is not paused is fired"))
                : found;
    }

    private Checked amiss(Health.Line line) {
        String evidence = "%s: %s".formatted(JobLines.name(line), line.reason());
        String mend = line.source().equals("schedule")
                ? "oneroof schedule show " + line.subject()
                : whatMends(line.subject(), String.valueOf(line.state()));
        return BAD_STATES.contains(String.valueOf(line.state()))
                ? Checked.fail("jobs", evidence, mend)
                : Checked.warn("jobs", evidence, mend);
    }

    private String whatMends(String kind, String state) {
        if (!state.equals("held")) {
            return "start a program that does them, or more of it";
        }
        return db.inTx(tx -> new GateStore().isOpen(tx, Gates.JOBS))
                ? "oneroof job resume %s --reason TEXT".formatted(kind)
                : "oneroof gate open %s --reason TEXT".formatted(Gates.JOBS);
    }

    List<Checked> wakeUps() {
        boolean open = db.inTx(tx -> new GateStore().isOpen(tx, Gates.WAKE_UPS));
        List<Instances.Instance> notReceiving = new Instances(db)
                .list().stream()
                        .filter(one -> one.wakeUps().equals(ListenState.NOT_RECEIVING.word()))
                        .toList();
        if (open && !notReceiving.isEmpty()) {
            return List.of(Checked.warn(
                    "wake-ups",
                    "%s hears none; its workers look by themselves"
                            .formatted(notReceiving.getFirst().name()),
                    "connect it to the server itself, and not through a proxy that pools transactions"));
        }
        return List.of(Checked.ok("wake-ups", open ? "heard wherever somebody waits for them" : "off, by their gate"));
    }

    List<Checked> findings() {
        List<Checked> found = db.inTx(tx -> tx.query(FINDINGS)
                .map((row, context) -> {
                    String evidence = "%d of %s, %s: %s"
                            .formatted(
                                    row.getLong("count"),
                                    row.getString("issue_type"),
                                    row.getString("severity"),
                                    row.getString("summary"));
                    String mend = "see %s in docs/runbook.md".formatted(row.getString("issue_type"));
                    return row.getString("severity").equals("critical")
                            ? Checked.fail("findings", evidence, mend)
                            : Checked.warn("findings", evidence, mend);
                })
                .list());
        return found.isEmpty() ? List.of(Checked.ok("findings", "none is open")) : found;
    }

    List<Checked> instances() {
        List<Instances.Instance> all = new Instances(db).list();
        List<Checked> found = all.stream()
                .filter(one -> BAD_STATES.contains(one.state()))
                .map(one -> Checked.fail(
                        "instances",
                        "%s is %s: %s".formatted(one.name(), one.state(), one.reason()),
                        "end or start its process; gone for good: oneroof instance forget %s --reason TEXT"
                                .formatted(one.name())))
                .toList();
        if (all.isEmpty()) {
            return List.of(Checked.warn("instances", "none is running", "oneroof demo, or a program of yours"));
        }
        return found.isEmpty() ? List.of(Checked.ok("instances", "%d, none is amiss".formatted(all.size()))) : found;
    }

    /**
     * A closed gate is as somebody wants it, and most are closed when OneRoof is installed: who or what waits for one is
     * told of with the workers and the jobs. Without beats nobody would be told of.
     */
    List<Checked> gates() {
        return db.inTx(tx -> {
            GateStore gates = new GateStore();
            Optional<String> unwatched = gates.whyClosed(tx, Gates.HEARTBEAT);
            if (unwatched.isPresent()) {
                return List.of(Checked.warn(
                        "gates", unwatched.get(), "oneroof gate open %s --reason TEXT".formatted(Gates.HEARTBEAT)));
            }
            List<String> open =
                    gates.list(tx).stream().filter(Gate::open).map(Gate::key).toList();
            return List.of(Checked.ok("gates", "open: %s; the others are closed".formatted(String.join(", ", open))));
        });
    }

    private static List<Checked> summed(List<Checked> all, String check, String fine) {
        List<Checked> amiss =
                all.stream().filter(one -> one.level() != Checked.Level.OK).toList();
        return amiss.isEmpty() ? List.of(Checked.ok(check, fine)) : amiss;
    }
}
