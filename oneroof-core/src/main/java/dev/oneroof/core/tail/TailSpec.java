package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The definition of a tail worker: the source it reads, the gates that stop it, and its effect on the rows.
 *
 * @param domain the domain that the cursor is listed under
 * @param phase the phase a new cursor starts in
 * @param gates all of them must be open for a pass to run
 * @param summaryFields what the worker's feature adds to the run summary of the cursor
 */
public record TailSpec(
        Scope scope,
        String domain,
        String phase,
        Set<String> gates,
        BatchEffect effect,
        RunSummaryFields summaryFields) {
    static final String DEFAULT_DOMAIN = "default";
    static final String DEFAULT_PHASE = "incremental";

    private static final Set<String> RESERVED = Set.of("instance", "job_keeper", "jobs", "stale_check");

    public TailSpec {
        gates = Set.copyOf(gates);
        if (RESERVED.contains(scope.worker())) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "worker: '%s' is not allowed; allowed are names other than %s, which OneRoof reserves"
                            .formatted(scope.worker(), String.join(", ", new TreeSet<>(RESERVED))));
        }
    }

    /** With the engine's own run summary. */
    public TailSpec(Scope scope, String domain, String phase, Set<String> gates, BatchEffect effect) {
        this(scope, domain, phase, gates, effect, RunSummaryFields.PLAIN);
    }

    /** A worker without a gate. */
    public static TailSpec of(String worker, String source, BatchEffect effect) {
        return new TailSpec(Scope.of(worker, source), DEFAULT_DOMAIN, DEFAULT_PHASE, Set.of(), effect);
    }

    /** A definition in steps: {@code TailSpec.draft("mailer", "orders").reading("email").eachRow(…)}. */
    public static TailDraft<TailSpec> draft(String worker, String source) {
        return new TailDraft<>(worker, source, Function.identity());
    }
}
