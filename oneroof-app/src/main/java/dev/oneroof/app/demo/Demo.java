package dev.oneroof.app.demo;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.app.host.Features;
import dev.oneroof.app.host.Host;
import dev.oneroof.app.host.Server;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.tail.Cursor;
import dev.oneroof.core.tail.CursorStore;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.governance.registrybackfill.BackfillSweep;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;

/** Runs all there is on a registry made for the purpose. */
public final class Demo {
    private static final int CHUNK = 20_000;
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int FAILING_LOOKS = 75;
    private static final int MOST_TROUBLES = 5;

    private final AppConfig app;
    private final DemoConfig config;
    private final DemoProgress progress;
    private final Waiting waiting;

    private final String version;

    public Demo(AppConfig app, DemoConfig config, DemoProgress progress, Waiting waiting, String version) {
        this.version = version;
        this.app = app;
        this.config = config;
        this.progress = progress;
        this.waiting = waiting;
    }

    public DemoSummary run(OpenDatabase database) {
        long started = System.nanoTime();
        SchemaAccess.migrate(app, database);
        // Two logins in one: the demo's own acts make and fill tables; the runtime only has its role's rights.
        Database owner = new Database(
                Connections.plain(database.address(), "oneroof demo"),
                app.schema().schema());
        DemoRegistry registry = new DemoRegistry(owner, app.schema().roles());
        fill(registry);
        TailSpec sweep = BackfillSweep.over(DemoRegistry.SOURCE);
        try (Host host = Host.open(app, database, database.instance(), Features.all())) {
            OneRoof oneroof = host.runtime();
            oneroof.database().useTx(tx -> new SourceStore().register(tx, DemoRegistry.births(), "demo"));
            DemoFiles.addTo(oneroof);
            oneroof.tail(sweep);
            // Last: what is refused before leaves no gate open.
            DemoGates gates = DemoGates.open(oneroof.database(), progress);
            if (config.once()) {
                oneroof.start();
                follow(registry, oneroof.database(), sweep, gates);
            } else {
                try (Server server = served(host, database.instance())) {
                    progress.say("the status page is at %s".formatted(server.address()));
                    follow(registry, oneroof.database(), sweep, gates);
                    DemoFiles.leave(oneroof);
                    gates.close();
                }
                return summary(registry, owner, sweep, database, started);
            }
            DemoFiles.leave(oneroof);
            gates.close();
        }
        return summary(registry, owner, sweep, database, started);
    }

    /** At the port of the settings, or at any where that is taken. */
    private Server served(Host host, String instance) {
        AppConfig.Server wanted = app.server();
        try {
            return Server.start(wanted, host, instance, version);
        } catch (OneRoofException e) {
            if (e.code() != ErrorCode.PORT_IN_USE) {
                throw e;
            }
            return Server.start(
                    new AppConfig.Server(wanted.instance(), wanted.httpHost(), 0, wanted.logsJson()),
                    host,
                    instance,
                    version);
        }
    }

    private void fill(DemoRegistry registry) {
        registry.create(config.rows(), config.seed());
        progress.step("births in the registry");
        long filled = registry.filled();
        while (filled < config.rows() && !waiting.isStopped()) {
            filled = registry.fillUpTo(config.rows(), CHUNK);
            progress.at(filled, Math.max(filled, config.rows()));
        }
        progress.done();
    }

    /** Until caught up, or for as long as it is not stopped, with births going on. */
    private void follow(DemoRegistry registry, Database db, TailSpec sweep, DemoGates gates) {
        progress.step("births swept into candidates");
        FilesWatch files = new FilesWatch(progress);
        long started = System.nanoTime();
        boolean caughtUp = false;
        long born = 0;
        int failing = 0;
        int troubles = 0;
        while (!(caughtUp && config.once()) && waiting.pause(LOOK)) {
            try {
                gates.keepOpen();
                progress.at(seen(db, sweep), registry.filled());
                failing = registry.isFailing(sweep.scope().executorName()) ? failing + 1 : 0;
                if (config.once() && failing > FAILING_LOOKS) {
                    throw new OneRoofException(
                            ErrorCode.FAILED, "%s keeps failing; see the lines above".formatted(sweep.scope()));
                }
                if (!caughtUp && registry.isCaughtUp(BackfillSweep.WORKER) && files.areDone(registry.files())) {
                    caughtUp = true;
                    progress.at(seen(db, sweep), registry.filled());
                    sayCaughtUp();
                }
                born += bearWhatIsDue(registry, started, born);
                troubles = 0;
            } catch (RuntimeException e) {
                // A machine that slept, say: its connections are gone, and the server is there.
                if (!SqlState.isTransient(e) || ++troubles > MOST_TROUBLES) {
                    throw e;
                }
            }
        }
        progress.done();
    }

    private void sayCaughtUp() {
        if (!config.once()) {
            progress.done();
            progress.say("caught up; %s a second keep arriving, Ctrl-C stops the demo"
                    .formatted(Counted.of(config.birthsPerSecond(), "birth")));
            progress.keepOn("births swept into candidates");
        }
    }

    /** By the clock and not by the turn: a slow machine bears as many as a quick one. Those that fail are still due. */
    private int bearWhatIsDue(DemoRegistry registry, long startedNanos, long born) {
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        long due = (long) (seconds * config.birthsPerSecond());
        int now = config.once() ? 0 : Math.clamp(due - born, 0, CHUNK);
        if (now > 0) {
            registry.bear(now);
        }
        return now;
    }

    private static long seen(Database db, TailSpec sweep) {
        return db.inTx(tx -> new CursorStore()
                .find(tx, sweep.scope())
                .map(Cursor::eventsSeen)
                .orElse(0L));
    }

    private DemoSummary summary(
            DemoRegistry registry, Database db, TailSpec sweep, OpenDatabase database, long started) {
        DemoCounts counts = registry.counts();
        DemoSummary.Files files = registry.files();
        Cursor cursor = db.inTx(tx -> new CursorStore().find(tx, sweep.scope()))
                .orElse(new Cursor(
                        sweep.scope(), null, null, null, 0, 0, 0, sweep.phase(), 0, new Cursor.State.Active()));
        Watermark head = cursor.head();
        return new DemoSummary(
                counts.births(),
                counts.candidates(),
                counts.births() > 0
                        && counts.candidates() >= counts.births()
                        && registry.isCaughtUp(BackfillSweep.WORKER)
                        && files.areDone(),
                counts.collections(),
                counts.changes(),
                counts.owners(),
                counts.policies(),
                config.seed(),
                database.address().toString(),
                new DemoSummary.WorkerSummary(
                        BackfillSweep.WORKER,
                        DemoRegistry.SOURCE,
                        head == null ? null : head.toString(),
                        cursor.eventsSeen(),
                        cursor.attemptsWritten()),
                files,
                Math.round((System.nanoTime() - started) / 1e7) / 100.0);
    }
}
