package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a source is read: the options that {@code source add} and {@code source alter} share. */
final class SourceOptions {
    @Option(
            names = "--contract",
            paramLabel = "CONTRACT",
            description = "What the writers guarantee: clock, sequence or external.")
    private @Nullable OrderContract contract;

    @Option(names = "--mode", paramLabel = "MODE", description = "prompt, or strict: keep the order of the keys.")
    private @Nullable Mode mode;

    @Option(names = "--filter", paramLabel = "SQL", description = "Only rows for which this condition holds.")
    private @Nullable String filter;

    @Option(names = "--zone", paramLabel = "ZONE", description = "The zone of a timestamp without time zone.")
    private @Nullable String zone;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            converter = NumberConverters.BatchSize.class,
            description = "At most N rows in a batch.")
    private @Nullable Long batchSize;

    @Option(
            names = "--poll",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "The poll interval of an idle source.")
    private @Nullable Duration poll;

    @Option(
            names = "--lag-threshold",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "The lag from which a cursor counts as behind.")
    private @Nullable Duration lagThreshold;

    @Option(
            names = "--reread",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "The re-read window under contract external.")
    private @Nullable Duration reread;

    @Nullable
    OrderContract contract() {
        return contract;
    }

    @Nullable
    String zone() {
        return zone;
    }

    boolean hasFilter() {
        return filter != null;
    }

    boolean isEmpty() {
        return contract == null
                && mode == null
                && filter == null
                && zone == null
                && batchSize == null
                && poll == null
                && lagThreshold == null
                && reread == null;
    }

    /** The source with every option that was given. */
    TailSource applyTo(TailSource before) {
        TailSource source = zone == null ? before : before.inZone(zone);
        source = contract == null ? source : source.under(contract);
        return applyBeyondOrder(source);
    }

    /** As {@link #applyTo}, without zone and contract: a draft has them already. */
    TailSource applyBeyondOrder(TailSource drafted) {
        TailSource source = drafted;
        source = mode == null ? source : source.in(mode);
        source = filter == null ? source : source.where(filter);
        source = batchSize == null ? source : source.inBatchesOf(Math.toIntExact(batchSize));
        source = poll == null ? source : source.polledEvery(poll);
        source = lagThreshold == null ? source : source.behindAfter(lagThreshold);
        return reread == null ? source : source.rereading(reread);
    }
}
