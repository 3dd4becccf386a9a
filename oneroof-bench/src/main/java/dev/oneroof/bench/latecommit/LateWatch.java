package dev.oneroof.bench.latecommit;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.tail.SetEffect;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tails a table that somebody else writes, from its first row on, and writes down what it handled. What it handled stands in
 * a table, in the batch's own transaction, and the file is copied from there: so it holds what was committed and nothing
 * else, also after a lost connection.
 */
public final class LateWatch implements Bench {
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration RUN_OUT = Duration.ofSeconds(30);

    private final WatchConfig config;
    private final Waiting waiting;
    private long copied;

    public LateWatch(WatchConfig config, Waiting waiting) {
        this.config = config;
        this.waiting = waiting;
    }

    @Override
    public BenchResult run(BenchSite site) throws IOException {
        Database login = new Database(
                Connections.plain(site.address(), "late watch"), site.schema().schema());
        WatchedTable table = new WatchedTable(login, config);
        @Nullable String role = table.actingAs(site.schema().roles().server());
        try (Writer ids = opened();
                Workshop workshop = Workshop.open(site, WatchedTable.SCHEMA, role)) {
            TailSource source = table.source(workshop.sourceName("bench-watch"));
            table.create();
            List<String> warnings = watch(workshop, source, ids, table);
            Map<String, Object> settings = settings(role);
            settings.put("warnings", warnings);
            return BenchResult.of(
                    "late",
                    settings,
                    List.of(
                            Figure.told("rows handled", (double) table.handled(), null),
                            Figure.exactly("handled twice", table.handledTwice(), 0),
                            Figure.exactly("lost", table.lost(), 0)));
        }
    }

    private List<String> watch(Workshop workshop, TailSource source, Writer ids, WatchedTable table)
            throws IOException {
        try (OneRoof oneroof = workshop.runtime()) {
            List<String> warnings = workshop.register(oneroof, source);
            oneroof.tail(Workshop.WORKER, source.name())
                    .by(new SetEffect("1", WatchedTable.NOTE, Map.of()))
                    .start();
            long end = System.nanoTime() + config.length().toNanos();
            while (System.nanoTime() < end && waiting.pause(LOOK)) {
                copy(table, ids);
            }
            // What is there now must be handled; what comes later is not asked for.
            table.rememberWhatIsThere();
            long last = System.nanoTime() + RUN_OUT.toNanos();
            while (System.nanoTime() < last && table.lost() > 0 && waiting.pause(LOOK)) {
                copy(table, ids);
            }
            return warnings;
        } finally {
            copy(table, ids);
        }
    }

    private void copy(WatchedTable table, Writer ids) throws IOException {
        List<WatchedTable.Handled> more = table.handledAfter(copied);
        while (!more.isEmpty()) {
            for (WatchedTable.Handled handled : more) {
                ids.write(handled.id());
                ids.write('\n');
            }
            copied = more.getLast().no();
            more = table.handledAfter(copied);
        }
        ids.flush();
    }

    private Writer opened() {
        try {
            return Files.newBufferedWriter(config.ids());
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "ids-file: '%s' cannot be written".formatted(config.ids()), e);
        }
    }

    private Map<String, Object> settings(@Nullable String role) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("table", config.schema() + "." + config.table());
        settings.put("ts", String.valueOf(config.ts()));
        settings.put("id", config.id());
        settings.put("seconds", config.length().toSeconds());
        settings.put("ids_file", config.ids().toString());
        settings.put("acts_as", role == null ? "the login" : role);
        return settings;
    }
}
