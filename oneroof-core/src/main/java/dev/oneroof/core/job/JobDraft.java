package dev.oneroof.core.job;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The work on a kind of jobs while it is being written down. It ends with what is done: {@link #each} or {@link #eachInTx}.
 *
 * @param <R> what the last word returns
 */
public final class JobDraft<R> {
    private static final int USUAL = 16;
    // Each holds a connection for as long as it runs.
    private static final int USUAL_IN_TX = 4;

    private final JobKind kind;
    private final @Nullable Integer atOnce;
    private final Function<JobWork, R> end;

    /** Called by those who hand out drafts: {@code OneRoof.work}. */
    public JobDraft(JobKind kind, Function<JobWork, R> end) {
        this(kind, null, end);
    }

    private JobDraft(JobKind kind, @Nullable Integer atOnce, Function<JobWork, R> end) {
        this.kind = kind;
        this.atOnce = atOnce;
        this.end = end;
    }

    /** At most so many at a time in this process, 1 to 10000, each on a thread of its own, which may block. */
    public JobDraft<R> atOnce(int jobs) {
        return new JobDraft<>(kind, jobs, end);
    }

    /** Called for each job. */
    public R each(JobHandler handler) {
        return end.apply(new JobWork(kind, atOnce == null ? USUAL : atOnce, handler, null));
    }

    /** Called for each job within the transaction that ends it. Every one that runs needs a connection. */
    public R eachInTx(TxJobHandler handler) {
        return end.apply(new JobWork(kind, atOnce == null ? USUAL_IN_TX : atOnce, null, handler));
    }
}
