package dev.oneroof.core.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class LeaseStoreTest {
    private static final Scope SCOPE = Scope.of("sweeper", "births");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration EXPIRED = Duration.ofMillis(-1);

    private final LeaseStore leases = new LeaseStore();
    private TestDatabase database;
    private Database db;

    @BeforeEach
    void register(TestDatabase database) {
        this.database = database;
        db = new Database(database.dataSource(), SchemaName.DEFAULT);
        db.useTx(tx -> leases.register(tx, SCOPE, "test", Duration.ofSeconds(5), Duration.ofSeconds(30)));
    }

    /** One statement for all scopes of an instance: each gets its own answer, in the order of the beats. */
    @Test
    void renewsSeveralLeasesTogetherAndAnswersForEach() {
        Scope lost = Scope.of("sweeper", "lost");
        Scope locked = Scope.of("sweeper", "locked");
        for (Scope scope : List.of(lost, locked)) {
            db.useTx(tx -> leases.register(tx, scope, "test", Duration.ofSeconds(5), Duration.ofSeconds(30)));
        }
        Lease held = taken("a", MINUTE);
        List<LeaseBeat> beats = List.of(
                new LeaseBeat(new Lease(lost, "a", new Epoch(1), MINUTE), Beat.quiet()),
                new LeaseBeat(taken(locked), Beat.quiet()),
                new LeaseBeat(held, Beat.working("processed 412 rows")));

        List<Renewal> renewals;
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run("SELECT FROM oneroof.queue_heartbeat WHERE executor_name = 'sweeper/locked/0' FOR UPDATE");
            renewals = db.inStatement(tx -> leases.beatAll(tx, beats));
            other.run("ROLLBACK");
        }

        assertThat(renewals).containsExactly(Renewal.LOST, Renewal.BUSY, Renewal.HELD);
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT last_beat_payload ->> 'reason' FROM oneroof.queue_heartbeat WHERE ticks_total > 0"))
                .containsExactly("processed 412 rows");
    }

    private Lease taken(Scope scope) {
        return ((Claim.Taken) db.inTx(tx -> leases.claim(tx, scope, "a", MINUTE))).lease();
    }

    @Test
    void givesAFreeScopeToOneOwnerOnly() {
        assertThat(claim("a", MINUTE)).isInstanceOf(Claim.Taken.class);
        assertThat(claim("b", MINUTE)).isInstanceOf(Claim.Denied.class);
    }

    @Test
    void deniesAScopeThatNobodyRegistered() {
        Claim claim = db.inTx(tx -> leases.claim(tx, Scope.of("no", "body"), "a", MINUTE));

        assertThat(claim).isInstanceOf(Claim.Denied.class);
    }

    @Test
    void givesAnExpiredScopeAwayUnderAHigherEpoch() {
        Lease old = taken("a", EXPIRED);

        Lease young = taken("b", MINUTE);

        assertThat(young.epoch().value()).isGreaterThan(old.epoch().value());
    }

    @Test
    void letsAnOwnerClaimAgainWhatItHolds() {
        Lease before = taken("a", MINUTE);

        Lease after = taken("a", MINUTE);

        assertThat(after.epoch().value()).isGreaterThan(before.epoch().value());
        assertThat(fence(before)).isEqualTo(Renewal.LOST);
    }

    /** Two processes under one name take it from each other, and an operator is to hear of it. */
    @Test
    void countsAsTakenOverWhatOneOfTheSameNameStillHeld() {
        taken("a", EXPIRED);
        taken("a", MINUTE);
        assertThat(takenOver()).as("its own, run out").isZero();

        taken("a", MINUTE);
        taken("a", MINUTE);

        assertThat(takenOver()).isEqualTo(2);
    }

    private long takenOver() {
        return db.inTx(tx -> leases.takenOver(tx, SCOPE, MINUTE));
    }

    @Test
    void keepsEpochsGrowingWhenTheRowIsRemoved() {
        Lease before = taken("a", MINUTE);
        database.run("DELETE FROM oneroof.queue_heartbeat");
        db.useTx(tx -> leases.register(tx, SCOPE, "test", Duration.ofSeconds(5), Duration.ofSeconds(30)));

        assertThat(taken("a", MINUTE).epoch().value())
                .isGreaterThan(before.epoch().value());
    }

    @Test
    void fencesOffAnOwnerThatLostItsScope() {
        Lease old = taken("a", EXPIRED);
        assertThat(fence(old)).isEqualTo(Renewal.HELD);

        taken("b", MINUTE);

        assertThat(fence(old)).isEqualTo(Renewal.LOST);
        assertThat(beat(old)).isEqualTo(Renewal.LOST);
    }

    @Test
    void neverTakesAScopeWhoseOwnerIsCommitting() {
        Lease old = taken("a", EXPIRED);

        db.useTx(committing -> {
            assertThat(leases.fence(committing, old)).isEqualTo(Renewal.HELD);
            // Expired and yet not to be had, and without waiting for it.
            assertThat(claim("b", MINUTE)).isInstanceOf(Claim.Denied.class);
        });

        assertThat(claim("b", MINUTE)).isInstanceOf(Claim.Taken.class);
    }

    @Test
    void registersAndClaimsWithoutWaitingForAnOwnerThatIsFrozenInsideABeat() {
        Lease old = taken("a", EXPIRED);

        db.useTx(frozen -> {
            assertThat(leases.beat(frozen, old, Beat.working("testing"))).isEqualTo(Renewal.HELD);

            Claim claim = db.inTx(tx -> {
                tx.update("SET LOCAL lock_timeout = '100ms'").execute();
                leases.register(tx, SCOPE, "b", Duration.ofSeconds(5), Duration.ofSeconds(30));
                return leases.claim(tx, SCOPE, "b", MINUTE);
            });

            assertThat(claim).isInstanceOf(Claim.Denied.class);
        });
    }

    @Test
    void writesNoRowVersionWhenFencing() {
        Lease lease = taken("a", MINUTE);
        String before = version();

        fence(lease);

        assertThat(version()).isEqualTo(before);
    }

    @Test
    void renewsWithABeat() {
        Lease lease = taken("a", Duration.ofSeconds(30));
        Lease longer = new Lease(lease.scope(), lease.owner(), lease.epoch(), Duration.ofHours(1));

        assertThat(beat(longer)).isEqualTo(Renewal.HELD);

        assertThat(flag("lease_until > now() + interval '30 minutes'")).isTrue();
        assertThat(flag("ticks_total = 1 AND last_tick_status = 'ok'")).isTrue();
        assertThat(flag("last_beat_payload - 'since' = '{\"doing\": \"working\", \"reason\": \"testing\"}'"))
                .isTrue();
    }

    @Test
    void renewsButDoesNotTickWhileTheHeartbeatGateIsClosed() {
        database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.heartbeat.enabled'");
        Lease lease = taken("a", Duration.ofSeconds(30));
        Lease longer = new Lease(lease.scope(), lease.owner(), lease.epoch(), Duration.ofHours(1));

        assertThat(beat(longer)).isEqualTo(Renewal.HELD);

        assertThat(flag("lease_until > now() + interval '30 minutes'")).isTrue();
        assertThat(flag("ticks_total = 0 AND last_beat_payload = '{}'")).isTrue();
    }

    @Test
    void beatsWhateverCharactersTheReasonHas() {
        Lease lease = taken("a", MINUTE);
        String reason = "a row with \0 in it";

        assertThat(db.<Renewal>inTx(tx -> leases.beat(tx, lease, Beat.failing(reason))))
                .isEqualTo(Renewal.HELD);
        assertThat(one("last_beat_payload ->> 'reason'")).isEqualTo("a row with   in it");

        db.useTx(tx -> leases.stuck(tx, lease, "stuck on " + reason));
        assertThat(one("last_beat_payload ->> 'reason'")).isEqualTo("stuck on a row with   in it");
    }

    @Test
    void isFreeAtOnceAfterARelease() {
        Lease lease = taken("a", MINUTE);

        db.useTx(tx -> leases.release(tx, lease));

        assertThat(claim("b", MINUTE)).isInstanceOf(Claim.Taken.class);
    }

    @Test
    void releasesNothingThatIsNoLongerOurs() {
        Lease old = taken("a", EXPIRED);
        Lease young = taken("b", MINUTE);

        db.useTx(tx -> leases.release(tx, old));

        assertThat(fence(young)).isEqualTo(Renewal.HELD);
    }

    @Test
    void givesAScopeToExactlyOneOfManyWhoAskAtOnce() {
        long winners = java.util.stream.IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> claim("owner-" + i, MINUTE))
                .filter(Claim.Taken.class::isInstance)
                .count();

        assertThat(winners).isEqualTo(1);
    }

    @Test
    void endsTheSessionsOfAnEpochThatIsOver() throws Exception {
        Lease old = taken("a", EXPIRED);
        try (Connection frozen = database.connect();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT set_config('application_name', oneroof.fn_session_name(%d), false)"
                    .formatted(old.epoch().value()));
            Claim.Taken taken = (Claim.Taken) claim("b", MINUTE);

            assertThat(taken.before()).isEqualTo(old.epoch());
            assertThat(db.<Long>inTx(tx -> leases.endSessions(tx, taken.before())))
                    .isEqualTo(1);

            assertThatThrownBy(() -> statement.execute("SELECT 1")).hasMessageContaining("terminating connection");
        }
    }

    @Test
    void leavesTheSessionsOfOtherDatabasesAlone(OwnServer server) throws Exception {
        Lease old = taken("a", EXPIRED);
        TestDatabase neighbour = server.newDatabase();
        try (Connection working = neighbour.connect();
                Statement statement = working.createStatement()) {
            statement.execute("SELECT set_config('application_name', oneroof.fn_session_name(%d), false)"
                    .formatted(old.epoch().value()));

            assertThat(db.<Long>inTx(tx -> leases.endSessions(tx, old.epoch()))).isZero();

            assertThat(statement.execute("SELECT 1")).isTrue();
        } finally {
            neighbour.close();
        }
    }

    private Claim claim(String owner, Duration timeToLive) {
        return db.inTx(tx -> leases.claim(tx, SCOPE, owner, timeToLive));
    }

    private Lease taken(String owner, Duration timeToLive) {
        return ((Claim.Taken) claim(owner, timeToLive)).lease();
    }

    private Renewal fence(Lease lease) {
        return db.inTx(tx -> leases.fence(tx, lease));
    }

    private Renewal beat(Lease lease) {
        return db.inTx(tx -> leases.beat(tx, lease, Beat.working("testing")));
    }

    private String version() {
        return one("ctid::text || ' ' || xmin::text");
    }

    private boolean flag(String condition) {
        return one("(" + condition + ")::text").equals("true");
    }

    private String one(String expression) {
        try (Sql sql = database.sql()) {
            return sql.value(String.class, "SELECT " + expression + " FROM oneroof.queue_heartbeat");
        }
    }
}
