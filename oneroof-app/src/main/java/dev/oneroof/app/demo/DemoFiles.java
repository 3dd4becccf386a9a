package dev.oneroof.app.demo;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.Job;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.schedule.FixedInterval;
import dev.oneroof.core.schedule.Schedule;
import dev.oneroof.core.schedule.ScheduleView;
import dev.oneroof.core.schedule.Schedules;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.tail.Row;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.UserTx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is born as a document is a file. A tail writes the files of each batch to a manifest and enqueues a job for it, in one
 * transaction; that job cuts the manifest into pieces, each a job that marks its files. Now and then a job that comes by the
 * clock counts them. A file that was marked twice would be refused by its table.
 */
final class DemoFiles {
    static final String GATE = "queue.jobs.enabled";

    private static final String SOURCE = "document_births";
    private static final String WORKER = "file_manifest";
    private static final int PIECE = 500;
    private static final OperatorAct BEGIN = new OperatorAct("demo", "the demo runs everything");
    private static final OperatorAct END = new OperatorAct("demo", "the demo has ended");

    // What a frozen process has locked in a handler's transaction is free again when the handler's time is over.
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final JobKind CUT = JobKind.named("cut_from_manifest")
            .in("files")
            .describedAs("cuts a manifest into pieces, each to be marked")
            .doneWithin(LONGEST)
            .backingOff(Duration.ofSeconds(1), Duration.ofMinutes(1));
    private static final JobKind MARK = JobKind.named("mark_file")
            .in("files")
            .describedAs("marks the files of a piece of a manifest")
            .doneWithin(LONGEST)
            .backingOff(Duration.ofSeconds(1), Duration.ofMinutes(1));
    private static final JobKind RECOUNT = JobKind.named("recount_files")
            .in("files")
            .describedAs("reports how many files are marked")
            .atMostAtOnce(1);

    private DemoFiles() {}

    /** Before the runtime starts. */
    static void addTo(OneRoof oneroof) {
        oneroof.register(TailSource.of(SOURCE, "oneroof_demo", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .where("collection_name LIKE '%\\_document'")
                .inBatchesOf(5000)
                .polledEvery(Duration.ofMillis(500)));
        oneroof.tail(WORKER, SOURCE).inDomain("files").inBatches((tx, rows) -> write(oneroof, tx, rows));
        oneroof.work(CUT).atOnce(2).eachInTx((tx, job) -> cut(oneroof, tx, job));
        oneroof.work(MARK).atOnce(4).eachInTx(DemoFiles::mark);
        oneroof.work(RECOUNT).eachInTx((tx, job) -> {
            job.say(tx.query(DemoSql.RECOUNT).mapTo(String.class).one());
            return Outcome.done();
        });
        oneroof.schedule(Schedule.of("recount_files", RECOUNT.name(), new FixedInterval(Duration.ofSeconds(10), null))
                .withoutOverlap());
        goOn(new Schedules(oneroof.database()));
    }

    /** Only if the demo has paused it: the act of an operator is kept. */
    private static void goOn(Schedules schedules) {
        ScheduleView.Pause pause = schedules.show("recount_files").pause();
        if (pause != null && END.equals(new OperatorAct(pause.actor(), pause.reason()))) {
            schedules.resume("recount_files", BEGIN);
        }
    }

    /** Nobody is there to do its jobs any more. */
    static void leave(OneRoof oneroof) {
        new Schedules(oneroof.database()).pause("recount_files", END);
    }

    private static void write(OneRoof oneroof, UserTx tx, List<Row> rows) {
        Integer[] files =
                rows.stream().map(row -> Math.toIntExact(row.number("id"))).toArray(Integer[]::new);
        long manifest = tx.query(DemoSql.MANIFEST)
                .bind("files", files)
                .mapTo(Long.class)
                .one();
        oneroof.jobs().enqueue(tx, NewJob.of(CUT.name(), Payload.of(Map.of("manifest_id", manifest))));
    }

    private static Outcome cut(OneRoof oneroof, UserTx tx, Job job) {
        Optional<String> missing = missing(tx, job, "manifest_id");
        if (missing.isPresent()) {
            return Outcome.dead(missing.get());
        }
        List<NewJob> pieces = tx.query(DemoSql.PIECES)
                .bind("payload", job.payload())
                .bind("piece", PIECE)
                .map((row, context) -> NewJob.of(
                        MARK.name(),
                        Payload.of(Map.of(
                                "manifest_id", row.getLong("manifest_id"),
                                "first", row.getInt("first"),
                                "last", row.getInt("last")))))
                .list();
        if (pieces.isEmpty()) {
            return Outcome.dead("payload: the named manifest does not exist");
        }
        oneroof.jobs().enqueueAll(tx, pieces);
        job.say("cut into %d pieces".formatted(pieces.size()));
        return Outcome.done();
    }

    private static Outcome mark(UserTx tx, Job job) {
        Optional<String> missing = missing(tx, job, "manifest_id", "first", "last");
        if (missing.isPresent()) {
            return Outcome.dead(missing.get());
        }
        int marked = tx.update(DemoSql.MARK).bind("payload", job.payload()).execute();
        return marked == 0 ? Outcome.dead("payload: the named files do not exist") : Outcome.done();
    }

    /** What no attempt would find. Anybody may enqueue such jobs. */
    private static Optional<String> missing(UserTx tx, Job job, String... keys) {
        return tx.query(DemoSql.MISSING)
                .bind("payload", job.payload())
                .bind("keys", keys)
                .mapTo(String.class)
                .findOne();
    }
}
