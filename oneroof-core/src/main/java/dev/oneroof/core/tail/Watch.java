package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.tail.read.ClockTrust;
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

/** Looks now and then at what a batch does not see, and raises or resolves the findings of one cursor. */
final class Watch {
    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    /** More than can be drawn between two looks. */
    private static final BigDecimal IMPLAUSIBLE_JUMP = BigDecimal.valueOf(100_000_000);

    /** So many take-overs in this time are no accident. */
    private static final int FLAPPING = 3;

    private static final Duration FLAPPING_WITHIN = Duration.ofMinutes(10);

    private final Database db;
    private final TailStores stores;
    private final Position position;
    private final TailConfig config;

    private @Nullable BigDecimal lastValue;
    private @Nullable Watermark lowest;
    /** What was settled when that was seen. */
    private @Nullable Watermark lowestSettled;

    private @Nullable Long brokenNanos;

    Watch(Database db, TailStores stores, Position position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.position = position;
        this.config = config;
    }

    /** Rows of which somebody else knows that they came too late. */
    void contractIsBroken() {
        brokenNanos = System.nanoTime();
    }

    void look(TailSource source, Set<Holder> holders, boolean stretchFull, ClockTrust clock) {
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
        db.useTx(tx -> judge(tx, source, broken));
    }

    /**
     * Also while the cursor is stopped: then it is all the more behind. Behind a filter that lets hardly any row through the
     * next one may be far; then what is known stays as it is.
     */
    void lag(TailSource source) {
        try {
            db.useTx(tx -> lag(tx, source));
        } catch (RuntimeException e) {
            if (!SqlState.isTimeout(e)) {
                throw e;
            }
            log.debug("{}: the lag cannot be told in time", position.scope(), e);
        }
    }

    private void lag(Tx tx, TailSource source) {
        tx.query("SELECT set_config('statement_timeout', '2s', true)")
                .mapTo(String.class)
                .one();
        // Also below head: a transaction that stayed open may have committed a great many there.
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
                    "the oldest row of '%s' that is not handled is %d s old"
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
                "the lease was taken over %d times in %d minutes: its owners die, freeze or lose the database"
                        .formatted(times, FLAPPING_WITHIN.toMinutes()),
                Map.of("take_overs", Long.toString(times)));
    }

    private void stretch(Tx tx, Set<Holder> holders, boolean full) {
        if (!full) {
            resolve(tx, FindingType.CURSOR_STRETCH_FULL);
            return;
        }
        String who = stores.bounds().named(tx, holders).orElse("nobody that can be seen");
        raise(
                tx,
                FindingType.CURSOR_STRETCH_FULL,
                "the cursor holds at the barrier: " + who,
                Map.of("keys", Long.toString(position.openBatches().keys()), "holders", who));
    }

    /** Why the contract does not hold, if it can be seen that it does not. */
    private Optional<String> contract(Tx tx, TailSource source, boolean clockBehind) {
        if (source.contract() == OrderContract.EXTERNAL) {
            return Optional.empty();
        }
        if (clockBehind) {
            return Optional.of("the server's clock is behind the settled watermark: it has stepped back");
        }
        Optional<String> low = below(tx, source);
        if (low.isPresent() || source.contract() != OrderContract.SEQUENCE) {
            return low;
        }
        return stores.contracts().sequence(tx, source).flatMap(this::sequence);
    }

    /** A row that lies below all there were, where all was settled by then. One that commits late is none of these. */
    private Optional<String> below(Tx tx, TailSource source) {
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
                ? Optional.of("a row has appeared at %s, below the lowest there was, %s; replay from there to handle it"
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
            return Optional.of("the highest id is %s and the sequence stands at %s: ids are given by hand"
                    .formatted(highest, now));
        }
        if (before != null
                && now.subtract(before).compareTo(IMPLAUSIBLE_JUMP) > 0
                && (highest == null || now.subtract(highest).compareTo(IMPLAUSIBLE_JUMP) > 0)) {
            return Optional.of("the sequence was set forward, from %s to %s".formatted(before, now));
        }
        return Optional.empty();
    }

    /** Broken is raised at once; it is mended when nothing was seen for as long as keys are kept. */
    private void judge(Tx tx, TailSource source, Optional<String> broken) {
        if (broken.isPresent()) {
            contractIsBroken();
            raise(
                    tx,
                    FindingType.CURSOR_CONTRACT_BROKEN,
                    "the contract '%s' of '%s' does not hold: %s"
                            .formatted(source.contract().sql(), source.name(), broken.get()),
                    Map.of("settled", String.valueOf(position.settled())));
            return;
        }
        @Nullable Long since = brokenNanos;
        if (since == null) {
            brokenNanos = System.nanoTime();
        } else if (System.nanoTime() - since > config.keptFor().toNanos()) {
            resolve(tx, FindingType.CURSOR_CONTRACT_BROKEN);
        }
    }

    /**
     * Late rows are looked for above the keys that are kept. A clock that has gone back further lets rows be written below
     * them, where handled ones cannot be told from new ones any more. Only the first look knows how far it went.
     */
    private void clockStep(Tx tx, TailSource source, ClockTrust trust) {
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
                        "the server's clock stepped back to %1$s; rows of '%2$s' that are written until it has passed %3$s are not looked for. When it has, hand them out: oneroof cursor replay %4$s --to-time '%1$s' --reason TEXT%5$s"
                                .formatted(
                                        clock,
                                        source.name(),
                                        kept.ts(),
                                        scope,
                                        trust.wasSeenRight()
                                                ? ""
                                                : "; or an earlier time, for nobody watched when it stepped"),
                        Map.of("clock", clock, "kept", String.valueOf(kept.ts()))));
    }

    private void raise(Tx tx, FindingType type, String summary, Map<String, String> evidence) {
        stores.findings().raise(tx, new Finding(type, position.scope().executorName(), summary, evidence));
    }

    private void resolve(Tx tx, FindingType type) {
        stores.findings().resolve(tx, type, position.scope().executorName());
    }
}
