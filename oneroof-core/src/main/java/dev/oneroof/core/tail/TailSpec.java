package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A tail worker as its author writes it down: what it reads, which gates stop it, and what it does with the rows.
 *
 * @param phase the phase a new cursor starts in
 * @param gates all of them must be open for a pass to run
 */
public record TailSpec(Scope scope, String domain, String phase, Set<String> gates, BatchEffect effect) {
    static final String DEFAULT_DOMAIN = "governance";
    static final String DEFAULT_PHASE = "incremental";

    private static final Set<String> OUR_OWN = Set.of("instance", "job_keeper", "jobs", "stale_check");

    public TailSpec {
        gates = Set.copyOf(gates);
        if (OUR_OWN.contains(scope.worker())) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "worker: '%s' is not allowed; allowed are names other than %s, which are OneRoof's own"
                            .formatted(scope.worker(), String.join(", ", new TreeSet<>(OUR_OWN))));
        }
    }

    /** A worker of one's own, without a gate. */
    public static TailSpec of(String worker, String source, BatchEffect effect) {
        return new TailSpec(Scope.of(worker, source), DEFAULT_DOMAIN, DEFAULT_PHASE, Set.of(), effect);
    }

    /** To be written down word by word: {@code TailSpec.draft("mailer", "orders").reading("email").eachRow(…)}. */
    public static TailDraft<TailSpec> draft(String worker, String source) {
        return new TailDraft<>(worker, source, Function.identity());
    }
}
