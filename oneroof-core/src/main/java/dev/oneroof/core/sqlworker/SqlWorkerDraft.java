package dev.oneroof.core.sqlworker;

import dev.oneroof.core.lease.Scope;
import java.util.List;

/** A worker to be added, or what an existing one is to become. */
public record SqlWorkerDraft(Scope scope, List<String> columns, String statement) {
    public SqlWorkerDraft {
        columns = List.copyOf(columns);
    }
}
