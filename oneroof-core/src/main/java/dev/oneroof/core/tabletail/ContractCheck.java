package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Holds an order contract against what the catalogs tell of the columns that shall keep it. */
final class ContractCheck {
    /** How to take what a source's own writers have done since it was registered. */
    enum Strictness {
        /** Refuse it: nobody depends on the source yet. */
        NEW,
        /** Warn of it: a program that starts again must not be stopped by one row. */
        REGISTERED
    }

    private final SequenceStore sequences = new SequenceStore();
    private final TableStore tables = new TableStore();

    /** The contract that the table seems to keep, for an owner who has named none. */
    OrderContract proposed(Tx tx, TableFacts table, TailSource source, TableFacts.@Nullable Column time) {
        TailSource.TimeColumn ordered = source.time();
        if (ordered != null && time != null) {
            boolean zoned = ordered.type() == TimeType.TIMESTAMPTZ || "UTC".equals(ordered.zone());
            return zoned && ClockDefault.of(ordered.type(), time.defaultExpression()) == ClockDefault.SERVER
                    ? OrderContract.CLOCK
                    : OrderContract.EXTERNAL;
        }
        return isWhole(source.id().type())
                        && sequence(tx, table, source).filter(FedSequence::fits).isPresent()
                ? OrderContract.SEQUENCE
                : OrderContract.EXTERNAL;
    }

    /** Throws when the contract cannot be kept; otherwise returns what its owner should know. */
    List<String> check(
            Tx tx, TableFacts table, TailSource source, TableFacts.@Nullable Column time, Strictness strictness) {
        return switch (source.contract()) {
            case CLOCK -> clock(source.time(), time);
            case SEQUENCE -> sequenceKept(tx, table, source, strictness);
            case EXTERNAL ->
                List.of("no barrier is sound where applications make the keys: a row that commits late can be missed");
        };
    }

    private static List<String> clock(TailSource.@Nullable TimeColumn ordered, TableFacts.@Nullable Column time) {
        if (ordered == null || time == null) {
            throw refused("'clock' needs a time column; allowed without one are 'sequence' and 'external'");
        }
        if (ordered.type() == TimeType.DATE) {
            throw refused(
                    "'clock' needs a time, and '%s' is a date; allowed are 'sequence', by the id alone, and 'external'"
                            .formatted(ordered.column()));
        }
        if (ordered.type() == TimeType.TIMESTAMP && !"UTC".equals(ordered.zone())) {
            throw refused(
                    "'clock' needs a time that never goes back, and '%s' is a timestamp in zone %s, where an hour may come twice; allowed are zone UTC, if its writers use it, 'sequence' and 'external'"
                            .formatted(ordered.column(), ordered.zone()));
        }
        return switch (ClockDefault.of(ordered.type(), time.defaultExpression())) {
            case SERVER -> List.of();
            case SESSION_ZONE ->
                List.of(
                        "'%1$s' is set in the zone of whoever writes (its default is %2$s); where a session is not in UTC the contract is broken and rows are missed; run: ALTER TABLE … ALTER %1$s SET DEFAULT (now() AT TIME ZONE 'UTC')"
                                .formatted(ordered.column(), time.defaultExpression()));
            case UNKNOWN ->
                List.of(
                        "nothing tells that the database sets '%s' (its default is %s); times made by applications break the contract and rows are missed; unless a trigger sets it to now(), 'external' is the honest contract"
                                .formatted(
                                        ordered.column(),
                                        time.defaultExpression() == null ? "none" : time.defaultExpression()));
        };
    }

    private List<String> sequenceKept(Tx tx, TableFacts table, TailSource source, Strictness strictness) {
        String column = source.id().column();
        if (source.time() != null) {
            throw refused(
                    "'sequence' orders by the id alone; leave out the time column '%s', or take 'clock' or 'external'"
                            .formatted(source.time().column()));
        }
        if (!isWhole(source.id().type())) {
            throw refused(
                    "'sequence' needs an id of type smallint, integer or bigint, and '%s' is of type %s; allowed is 'external'"
                            .formatted(column, source.id().type().sql()));
        }
        FedSequence sequence = sequence(tx, table, source)
                .orElseThrow(
                        () -> refused("'sequence' needs ids from a sequence, and none feeds '%s'; allowed is 'external'"
                                .formatted(column)));
        if (!sequence.plain()) {
            throw refused(
                    "'sequence' needs the sequence's own numbers, and the default of '%s' makes others of them; allowed is 'external'"
                            .formatted(column));
        }
        if (!sequence.mending().isEmpty()) {
            throw refused(
                    "'sequence' needs numbers that are given out one by one, in order and each once; run: ALTER SEQUENCE %s %s, or take 'external'"
                            .formatted(sequence.name(), String.join(" ", sequence.mending())));
        }
        return warnings(tx, source, sequence, strictness);
    }

    private List<String> warnings(Tx tx, TailSource source, FedSequence sequence, Strictness strictness) {
        List<String> warnings = new ArrayList<>();
        if (!sequence.readable()) {
            warnings.add(
                    "the last value of %1$s may not be read, so that one high id made by hand can hide rows; run as its owner: GRANT SELECT ON SEQUENCE %1$s TO %2$s"
                            .formatted(sequence.name(), tables.role(tx)));
        } else {
            sequences.highestUndrawn(tx, source, sequence).ifPresent(id -> {
                OneRoofException undrawn = refused(
                        "'sequence' needs ids that were drawn, and id %1$s is above the last value of %2$s; run: SELECT setval('%3$s', %1$s), or take 'external'"
                                .formatted(id, sequence.name(), sequence.name().replace("'", "''")));
                if (strictness == Strictness.NEW) {
                    throw undrawn;
                }
                warnings.add(undrawn.message());
            });
        }
        if (!sequence.owned()) {
            warnings.add(
                    "%1$s does not belong to '%2$s', so that its last value is not looked at; run: ALTER SEQUENCE %1$s OWNED BY %3$s.%4$s"
                            .formatted(
                                    sequence.name(),
                                    source.id().column(),
                                    source.relation().quoted(),
                                    source.id().quoted()));
        }
        if (!sequence.always()) {
            warnings.add(
                    "writers may bring ids of their own for '%s', which break the contract; GENERATED ALWAYS AS IDENTITY forbids them"
                            .formatted(source.id().column()));
        }
        return warnings;
    }

    private Optional<FedSequence> sequence(Tx tx, TableFacts table, TailSource source) {
        return sequences.fedBy(tx, table, source.relation(), source.id().column());
    }

    private static boolean isWhole(IdType type) {
        return switch (type) {
            case SMALLINT, INTEGER, BIGINT -> true;
            case UUID, TEXT, NUMERIC -> false;
        };
    }

    private static OneRoofException refused(String why) {
        return new OneRoofException(ErrorCode.INVALID_INPUT, "contract: " + why);
    }
}
