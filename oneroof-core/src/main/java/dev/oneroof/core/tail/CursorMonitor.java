package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.tail.read.ClockStatus;
import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks at intervals what a batch does not see, and raises or resolves the findings of one cursor. */
final class CursorMonitor {
    private static final Logger log = LoggerFactory.getLogger(CursorMonitor.class);

    /** More values than writers can draw between two checks. */
    private static final BigDecimal IMPLAUSIBLE_JUMP = BigDecimal.valueOf(100_000_000);

    /** From this many takeovers within the time on, a finding is raised. */
    private static final int FLAPPING = 3;

    private static final Duration FLAPPING_WITHIN = Duration.ofMinutes(10);

    private static final Duration LAG_TIMEOUT = Duration.ofSeconds(2);

    private final Database db;
    private final TailStores stores;
    private final CursorPosition position;
    private final TailConfig config;

    private @Nullable BigDecimal lastValue;
    private @Nullable Watermark lowest;
    /** The settled watermark when the lowest row was read. */
    private @Nullable Watermark lowestSettled;

    private @Nullable Long lastBrokenNanos;

    CursorMonitor(Database db, TailStores stores, CursorPosition position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.position = position;
        this.config = config;
    }

    /** Late rows were found outside this class. */
    void recordBrokenContract() {
        lastBrokenNanos = System.nanoTime();
    }

    void check(TailSource source, Set<Holder> holders, boolean stretchFull, ClockStatus clock) {
        lag(source);
        db.useTx(tx -> {
            deadLetters(tx);
            stretch(tx, holders, stretchFull);
            ownership(tx);
        });
        if (clock.isBehind()) {
            db.useTx(tx -> clockStep(tx, source, clock));
        }
        Optional<String> broken = db.inTx(tx -> contract(tx, source, clock.isBehind()));
        db.useTx(tx -> raiseOrResolveContract(tx, source, broken));
    }

    /**
     * Checks the lag, also while the cursor is stopped. Where the filter drops most rows, the search for the next one
     * may time out; then the finding stays as it is.
     */
    void lag(TailSource source) {
        try {
            db.useTx(tx -> lag(tx, source));
        } catch (RuntimeException e) {
            if (!SqlState.isTimeout(e)) {
                throw e;
            }
            log.debug("{}: the lag query timed out", position.scope(), e);
        }
    }

    private void lag(Tx tx, TailSource source) {
        stores.contracts().limitStatementTime(tx, LAG_TIMEOUT);
        // Also below head: a transaction that stayed open may have committed many rows there.
        @Nullable
        Stretch handled = position.openBatches().isEmpty()
                ? null
                : Stretch.open(tx.schema(), position.scope(), position.openBatches());
        @Nullable Watermark settled = position.settled();
        Optional<Double> lag = stores.contracts()
                .lagSeconds(tx, new KeysetPage(source, position.shape().partitioned(), settled, null, handled, 1));
        if (lag.filter(seconds -> seconds > source.lagThreshold().toMillis() / 1000.0)
                .isPresent()) {
            raise(
                    tx,
                    FindingType.CURSOR_LAG,
                    "the oldest unhandled row of '%s' is %d s old"
                            .formatted(source.name(), lag.get().longValue()),
                    Map.of("lag_seconds", Long.toString(lag.get().longValue()), "settled", String.valueOf(settled)));
        } else {
            resolve(tx, FindingType.CURSOR_LAG);
        }
    }

    private void deadLetters(Tx tx) {
        long open = stores.pendings().dead(tx, position.scope(), config.overflowAt() + 1);
        if (open == 0) {
            resolve(tx, FindingType.CURSOR_DLQ);
        }
        if (open <= config.overflowAt()) {
            resolve(tx, FindingType.CURSOR_DLQ_OVERFLOW);
        }
    }

    private void ownership(Tx tx) {
        long times = stores.leases().takenOver(tx, position.scope(), FLAPPING_WITHIN);
        if (times < FLAPPING) {
            resolve(tx, FindingType.CURSOR_LEASE_CONFLICT);
            return;
        }
        raise(
                tx,
                FindingType.CURSOR_LEASE_CONFLICT,
                "the lease was taken over %d times in %d minutes: its owners crash, freeze or lose the database"
                        .formatted(times, FLAPPING_WITHIN.toMinutes()),
                Map.of("take_overs", Long.toString(times)));
    }

    private void stretch(Tx tx, Set<Holder> holders, boolean full) {
        if (!full) {
            resolve(tx, FindingType.CURSOR_STRETCH_FULL);
            return;
        }
        String sessions = stores.bounds().named(tx, holders).orElse("no visible session");
        raise(
                tx,
                FindingType.CURSOR_STRETCH_FULL,
                "the stretch is full, and the cursor waits at the barrier for:  " + sessions,
                Map.of("keys", Long.toString(position.openBatches().keys()), "holders", sessions));
    }

    /** Why the contract does not hold; empty where no violation is visible. */
    private Optional<String> contract(Tx tx, TailSource source, boolean isClockBehind) {
        if (source.contract() == OrderContract.EXTERNAL) {
            return Optional.empty();
        }
        if (isClockBehind) {
            return Optional.of("the server's clock is behind the settled watermark: it has stepped back");
        }
        Optional<String> low = rowBelowLowest(tx, source);
        if (low.isPresent() || source.contract() != OrderContract.SEQUENCE) {
            return low;
        }
        return stores.contracts().sequence(tx, source).flatMap(this::sequence);
    }

    /**
     * A row that is below all earlier rows, where all of those were settled. A row that commits late is no such row.
     */
    private Optional<String> rowBelowLowest(Tx tx, TailSource source) {
        Optional<Watermark> now = stores.contracts().lowest(tx, source);
        @Nullable Watermark before = lowest;
        @Nullable Watermark settledThen = lowestSettled;
        lowest = now.orElse(null);
        lowestSettled = position.settled();
        if (now.isEmpty() || before == null || settledThen == null) {
            return Optional.empty();
        }
        OrderKey key = position.key(source);
        boolean broken = stores.contracts().isLower(tx, key, now.get(), before)
                && !stores.contracts().isLower(tx, key, settledThen, now.get());
        return broken
                ? Optional.of(
                        "a row has appeared at %s, below the lowest earlier row, %s; replay from there to handle it"
                                .formatted(now.get(), before))
                : Optional.empty();
    }

    private Optional<String> sequence(ContractStore.Sequence sequence) {
        if (sequence.increment() != 1 || sequence.cache() != 1 || sequence.cycles()) {
            return Optional.of("the sequence has INCREMENT %d, CACHE %d%s; the contract needs 1 and 1 and NO CYCLE"
                    .formatted(sequence.increment(), sequence.cache(), sequence.cycles() ? ", CYCLE" : ""));
        }
        @Nullable BigDecimal now = sequence.lastValue();
        @Nullable BigDecimal before = lastValue;
        lastValue = now == null ? before : now;
        if (now == null) {
            return Optional.empty();
        }
        @Nullable String settled = Watermark.idOf(position.settled());
        if ((settled != null && now.compareTo(new BigDecimal(settled)) < 0)
                || (before != null && now.compareTo(before) < 0)) {
            return Optional.of("the sequence was set back, to %s".formatted(now));
        }
        @Nullable BigDecimal highest = sequence.highest();
        if (highest != null && highest.compareTo(now) > 0) {
            return Optional.of(
                    "the highest id is %s and the last value of the sequence is %s: some ids were not drawn from it"
                            .formatted(highest, now));
        }
        if (before != null
                && now.subtract(before).compareTo(IMPLAUSIBLE_JUMP) > 0
                && (highest == null || now.subtract(highest).compareTo(IMPLAUSIBLE_JUMP) > 0)) {
            return Optional.of("the sequence was set forward, from %s to %s".formatted(before, now));
        }
        return Optional.empty();
    }

    /** Raises a violation at once. Resolves it when none was seen for as long as keys are kept. */
    private void raiseOrResolveContract(Tx tx, TailSource source, Optional<String> broken) {
        if (broken.isPresent()) {
            recordBrokenContract();
            raise(
                    tx,
                    FindingType.CURSOR_CONTRACT_BROKEN,
                    "the contract '%s' of '%s' does not hold: %s"
                            .formatted(source.contract().sql(), source.name(), broken.get()),
                    Map.of("settled", String.valueOf(position.settled())));
            return;
        }
        @Nullable Long since = lastBrokenNanos;
        if (since == null) {
            lastBrokenNanos = System.nanoTime();
        } else if (System.nanoTime() - since > config.keptFor().toNanos()) {
            resolve(tx, FindingType.CURSOR_CONTRACT_BROKEN);
        }
    }

    /**
     * Late rows are searched only among the kept keys. A clock that stepped back further lets rows be written below
     * them, where a handled row cannot be told from a new one. Only the first check knows how far it stepped.
     */
    private void clockStep(Tx tx, TailSource source, ClockStatus trust) {
        @Nullable Watermark kept = position.kept();
        if (kept == null || kept.ts() == null) {
            return;
        }
        String scope = position.scope().executorName();
        stores.bounds()
                .clockBelow(tx, source, kept, trust.sinceRight())
                .filter(clock -> !stores.findings().isOpen(tx, FindingType.CURSOR_CLOCK_STEPPED_BACK, scope))
                .ifPresent(clock -> raise(
                        tx,
                        FindingType.CURSOR_CLOCK_STEPPED_BACK,
                        "the server's clock stepped back to %1$s; rows of '%2$s' that are written until it has passed %3$s are not found. After that, replay them: oneroof cursor replay %4$s --to-time '%1$s' --reason TEXT%5$s"
                                .formatted(
                                        clock,
                                        source.name(),
                                        kept.ts(),
                                        scope,
                                        trust.wasSeenRight()
                                                ? ""
                                                : "; or from an earlier time, since no instance was running when it stepped"),
                        Map.of("clock", clock, "kept", String.valueOf(kept.ts()))));
    }

    private void raise(Tx tx, FindingType type, String summary, Map<String, String> evidence) {
        stores.findings().raise(tx, new Finding(type, position.scope().executorName(), summary, evidence));
    }

    private void resolve(Tx tx, FindingType type) {
        stores.findings().resolve(tx, type, position.scope().executorName());
    }
}
