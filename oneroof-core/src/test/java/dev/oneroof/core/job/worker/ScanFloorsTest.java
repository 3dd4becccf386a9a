package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From where on leasers look while looks are slow. */
@OneRoofTest
class ScanFloorsTest {
    private static final Duration SLOW = Duration.ofMillis(200);
    private static final Duration QUICK = Duration.ofMillis(2);

    private final ScanFloorStore store = new ScanFloorStore();
    private TestDatabase database;
    private Database db;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        db = new Database(given.dataSource(), SchemaName.DEFAULT);
        new Jobs(db).register(JobKind.named("mark_file"), "test");
        new Jobs(db).register(JobKind.named("cut_file"), "test");
    }

    @Test
    void beginAtTheBeginningUnlessLooksAreSlow() {
        ScanFloors floors = new ScanFloors();
        floors.scanned(true, List.of(job("2026-01-01 00:00:01+00")), QUICK.toNanos(), 0);
        assertThat(floors.now(1)).isEmpty();
        assertThat(floors.toStore(1)).isEmpty();

        floors.scanned(true, List.of(job("2026-01-01 00:00:01+00")), SLOW.toNanos(), 0);
        assertThat(floors.now(1)).as("once may be chance").isEmpty();
        floors.scanned(true, List.of(job("2026-01-01 00:00:01+00")), QUICK.toNanos(), 0);
        floors.scanned(true, List.of(job("2026-01-01 00:00:01+00")), SLOW.toNanos(), 0);
        assertThat(floors.now(1)).isEmpty();
        floors.scanned(true, List.of(job("2026-01-01 00:00:02+00")), SLOW.toNanos(), 0);
        assertThat(floors.now(1)).containsExactly(Map.entry("mark_file", "2026-01-01 00:00:02+00"));
        floors.scanned(false, List.of(job("2026-01-01 00:00:03+00")), SLOW.toNanos(), 0);
        assertThat(floors.now(1)).containsValue("2026-01-01 00:00:03+00");
        assertThat(floors.now(SLOW.multipliedBy(20).toNanos()))
                .as("a twentieth of the time is for looks from the beginning")
                .isEmpty();
        floors.scanned(true, List.of(), QUICK.toNanos(), 0);
        assertThat(floors.now(1)).isEmpty();
    }

    @Test
    void areHandedToProcessesThatBegin() {
        ScanFloors one = new ScanFloors();
        long now = System.nanoTime();
        one.scanned(true, List.of(job("2026-01-01 00:00:01+00")), SLOW.toNanos(), now);
        one.scanned(true, List.of(job("2026-01-01 00:00:02+00")), SLOW.toNanos(), now);
        ScanFloors.Snapshot note = one.toStore(now).orElseThrow();
        assertThat(one.toStore(now)).as("not twice in a second").isEmpty();
        db.inStatement(tx -> store.store(tx, note));

        ScanFloors other = new ScanFloors();
        other.start(db.inStatement(tx -> store.load(tx, List.of("mark_file", "cut_file"))), now);
        assertThat(other.isRaised()).isTrue();
        assertThat(other.now(now)).containsOnlyKeys("mark_file");
        assertThat(database.value(
                        Boolean.class,
                        "SELECT CAST(? AS timestamptz) = '2026-01-01 00:00:02+00'",
                        other.now(now).get("mark_file")))
                .isTrue();
        assertThat(other.now(now + SLOW.multipliedBy(20).toNanos()))
                .as("no later than the process that stored it")
                .isEmpty();

        ScanFloors third = new ScanFloors();
        third.start(db.inStatement(tx -> store.load(tx, List.of("cut_file"))), now);
        assertThat(third.isRaised()).isFalse();
    }

    @Test
    void areNotUsedForLongNorFromAClockThatWentBack() {
        ScanFloors.Snapshot note =
                new ScanFloors.Snapshot(Map.of("mark_file", "2026-01-01 00:00:02+00"), Duration.ofSeconds(20));
        db.inStatement(tx -> store.store(tx, note));
        assertThat(known()).isNotEmpty();
        for (String age : List.of("31 seconds", "-1 minute")) {
            database.run("UPDATE oneroof.job_kind_floor SET noted_at = clock_timestamp() - CAST(? AS interval)", age);
            assertThat(known()).as(age).isEmpty();
            db.inStatement(tx -> store.store(tx, note));
            assertThat(known()).as("stored again").isNotEmpty();
        }
        database.run("UPDATE oneroof.job_kind_floor SET full_again_at = clock_timestamp()");
        assertThat(known()).as("due").isEmpty();
    }

    @Test
    void areNotedOnceASecondWhoeverNotesThem() {
        db.inStatement(tx -> store.store(
                tx, new ScanFloors.Snapshot(Map.of("mark_file", "2026-01-01 00:00:02+00"), Duration.ofSeconds(20))));
        database.run("UPDATE oneroof.job_kind_floor SET noted_at = clock_timestamp()");
        String before = database.value(String.class, "SELECT order_at::text || ctid::text FROM oneroof.job_kind_floor");
        db.inStatement(tx -> store.store(
                tx,
                new ScanFloors.Snapshot(
                        Map.of("mark_file", "2026-01-01 00:00:09+00", "gone", "2026-01-01 00:00:09+00"),
                        Duration.ofSeconds(20))));
        assertThat(database.value(String.class, "SELECT order_at::text || ctid::text FROM oneroof.job_kind_floor"))
                .isEqualTo(before);
    }

    private Map<String, String> known() {
        return db.inStatement(tx -> store.load(tx, List.of("mark_file"))).floors();
    }

    private static LeasedJob job(String orderAt) {
        return new LeasedJob(
                JobId.create(), "mark_file", "{}", 1, 10, UUID.randomUUID(), orderAt, null, null, 0, 60_000_000_000L);
    }
}
