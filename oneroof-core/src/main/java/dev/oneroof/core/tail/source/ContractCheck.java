package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.DurationText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks an order contract against the catalog data of its columns. */
public final class ContractCheck {
    /** How to treat ids that writers have chosen since the source was registered. */
    public enum Strictness {
        /** Refuse the source: no worker depends on it yet. */
        NEW,
        /** Warn: one row must not stop a program that starts again. */
        REGISTERED
    }

    private final SequenceStore sequences = new SequenceStore();
    private final TableStore tables = new TableStore();

    /** The contract that the table seems to keep, where none was named. */
    OrderContract proposed(TailSource source, TableFacts.@Nullable Column time) {
        TailSource.TimeColumn ordered = source.time();
        if (ordered != null && time != null) {
            boolean zoned = ordered.type() == TimeType.TIMESTAMPTZ || "UTC".equals(ordered.zone());
            return zoned && ClockDefault.of(ordered.type(), time.defaultExpression()) == ClockDefault.SERVER
                    ? OrderContract.CLOCK
                    : OrderContract.EXTERNAL;
        }
        // The only contract without a time; where the id does not keep it, the check says why.
        return OrderContract.SEQUENCE;
    }

    /** Throws when the contract cannot be kept; otherwise returns what its owner should know. */
    List<String> check(
            Tx tx, TableFacts table, TailSource source, TableFacts.@Nullable Column time, Strictness strictness) {
        return switch (source.contract()) {
            case CLOCK -> clock(source.time(), time);
            case SEQUENCE -> sequenceKept(tx, table, source, strictness);
            case EXTERNAL -> external(tx, table, source);
        };
    }

    private static List<String> clock(TailSource.@Nullable TimeColumn ordered, TableFacts.@Nullable Column time) {
        if (ordered == null || time == null) {
            throw refused("'clock' needs a time column; allowed without one is 'sequence'");
        }
        if (ordered.type() == TimeType.DATE) {
            throw refused(
                    "'clock' needs a time, and '%s' is a date; allowed are 'sequence', by the id alone, and 'external'"
                            .formatted(ordered.column()));
        }
        if (ordered.type() == TimeType.TIMESTAMP && !"UTC".equals(ordered.zone())) {
            throw refused(
                    "'clock' needs a time that never goes back, and '%s' is a timestamp in zone %s, where an hour may occur twice; allowed are zone UTC, if its writers use it, 'sequence' and 'external'"
                            .formatted(ordered.column(), ordered.zone()));
        }
        return switch (ClockDefault.of(ordered.type(), time.defaultExpression())) {
            case SERVER -> List.of();
            case SESSION_ZONE ->
                List.of(
                        "'%1$s' is set in the zone of the writing session (its default is %2$s); where a session is not in UTC the contract is broken and rows are missed; run: ALTER TABLE … ALTER %1$s SET DEFAULT (now() AT TIME ZONE 'UTC')"
                                .formatted(ordered.column(), time.defaultExpression()));
            case UNKNOWN ->
                List.of(
                        "it is not known that the database sets '%s' (its default is %s); times set by applications break the contract and rows are missed; unless a trigger sets it to now(), 'external' is the right contract"
                                .formatted(
                                        ordered.column(),
                                        time.defaultExpression() == null ? "none" : time.defaultExpression()));
        };
    }

    private List<String> sequenceKept(Tx tx, TableFacts table, TailSource source, Strictness strictness) {
        if (source.time() != null) {
            throw refused(
                    "'sequence' orders by the id alone; leave out the time column '%s', or take 'clock' or 'external'"
                            .formatted(source.time().column()));
        }
        return warnings(tx, source, demandMadeInOrder(tx, table, source), strictness);
    }

    /**
     * A new row whose id is below those already read is lost, and without a time the id is the whole key. So it must
     * come from a sequence: the barrier can wait for transactions that have drawn from it.
     *
     * <p>A uuid is never enough, not even version 7 made by the server: it is in order within one session only, a
     * session that made one earlier may commit later, and no lock shows which transactions have made one. Nor does a
     * column distinguish version 7 from a random uuid. After a time column all of them are fine.
     */
    private IdSequence demandMadeInOrder(Tx tx, TableFacts table, TailSource source) {
        if (!isWhole(source.id().type())) {
            throw unordered(source, "");
        }
        IdSequence sequence = sequences
                .find(tx, table, source.relation(), source.id().column())
                .orElseThrow(() -> unordered(source, " (no sequence feeds it)"));
        if (!sequence.plain()) {
            throw unordered(source, " (its default changes the numbers of %s)".formatted(sequence.name()));
        }
        if (!sequence.requiredChanges().isEmpty()) {
            throw refused(
                    "'sequence' needs numbers that are drawn one by one, in order and each once; run: ALTER SEQUENCE %s %s, or name a time column"
                            .formatted(sequence.name(), String.join(" ", sequence.requiredChanges())));
        }
        return sequence;
    }

    private List<String> external(Tx tx, TableFacts table, TailSource source) {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            IdSequence sequence = demandMadeInOrder(tx, table, source);
            throw refused("'external' needs a time column; allowed without one is 'sequence', since %s makes '%s'"
                    .formatted(sequence.name(), source.id().column()));
        }
        return List.of(
                "applications may set '%s', so that no barrier is sound: rows that arrive behind the re-read window of %s are lost to every worker until an audit or a replay finds them"
                        .formatted(time.column(), DurationText.of(source.rereadWindow())));
    }

    private List<String> warnings(Tx tx, TailSource source, IdSequence sequence, Strictness strictness) {
        List<String> warnings = new ArrayList<>();
        if (!sequence.readable()) {
            warnings.add(
                    "the last value of %1$s may not be read, so that one high id set by a writer can hide rows; run as its owner: GRANT SELECT ON SEQUENCE %1$s TO %2$s"
                            .formatted(sequence.name(), tables.role(tx)));
        } else {
            sequences.highestUndrawn(tx, source, sequence).ifPresent(id -> {
                OneRoofException undrawn = refused(
                        "'sequence' needs ids that were drawn, and id %1$s is above the last value of %2$s; run: SELECT setval('%3$s', %1$s), or name a time column"
                                .formatted(id, sequence.name(), sequence.name().replace("'", "''")));
                if (strictness == Strictness.NEW) {
                    throw undrawn;
                }
                warnings.add(undrawn.message());
            });
        }
        if (!sequence.owned()) {
            warnings.add(
                    "%1$s does not belong to '%2$s', so that its last value is not checked; run: ALTER SEQUENCE %1$s OWNED BY %3$s.%4$s"
                            .formatted(
                                    sequence.name(),
                                    source.id().column(),
                                    source.relation().quoted(),
                                    source.id().quoted()));
        }
        if (!sequence.always()) {
            warnings.add(
                    "writers may set '%s' themselves, which breaks the contract; GENERATED ALWAYS AS IDENTITY prevents it"
                            .formatted(source.id().column()));
        }
        return warnings;
    }

    private static boolean isWhole(IdType type) {
        return switch (type) {
            case SMALLINT, INTEGER, BIGINT -> true;
            case UUID, TEXT, NUMERIC -> false;
        };
    }

    private static OneRoofException unordered(TailSource source, String why) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "id_column: '%s' (%s) is not made in order%s: a new row may get an id below those already read, and no worker would see it; allowed without a time column is a smallint, integer or bigint id whose default draws from a sequence. Name a time column that orders first, or an id made in order"
                        .formatted(source.id().column(), source.id().type().sql(), why));
    }

    private static OneRoofException refused(String why) {
        return new OneRoofException(ErrorCode.INVALID_INPUT, "contract: " + why);
    }
}
