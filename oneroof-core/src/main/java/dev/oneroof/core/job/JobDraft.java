package dev.oneroof.core.job;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the handler of a kind of jobs. It ends with {@link #each} or {@link #eachInTx}.
 *
 * @param <R> what the last call returns
 */
public final class JobDraft<R> {
    private static final int DEFAULT = 16;
    // Each one holds a connection while it runs.
    private static final int DEFAULT_IN_TX = 4;

    private final JobKind kind;
    private final @Nullable Integer atOnce;
    private final Function<JobHandlerSpec, R> end;

    /** Called by {@code OneRoof.work}. */
    public JobDraft(JobKind kind, Function<JobHandlerSpec, R> end) {
        this(kind, null, end);
    }

    private JobDraft(JobKind kind, @Nullable Integer atOnce, Function<JobHandlerSpec, R> end) {
        this.kind = kind;
        this.atOnce = atOnce;
        this.end = end;
    }

    /** The concurrency in this process, 1 to 10000. Each job runs on a thread of its own, which may block. */
    public JobDraft<R> atOnce(int jobs) {
        return new JobDraft<>(kind, jobs, end);
    }

    /** Called for each job. */
    public R each(JobHandler handler) {
        return end.apply(new JobHandlerSpec(kind, atOnce == null ? DEFAULT : atOnce, handler, null));
    }

    /** Called for each job within the transaction that ends it. Each running handler needs a connection. */
    public R eachInTx(TxJobHandler handler) {
        return end.apply(new JobHandlerSpec(kind, atOnce == null ? DEFAULT_IN_TX : atOnce, null, handler));
    }
}
