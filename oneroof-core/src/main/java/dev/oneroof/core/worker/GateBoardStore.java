package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** All gates and all pauses, in one statement. */
final class GateBoardStore {
    private static final String READ = """
            SELECT 'gate' AS kind, c.key AS name, oneroof.fn_gate_closed_reason(c.key) AS reason,
                   NULL AS actor, NULL AS until
            FROM oneroof.dot_config c
            WHERE c.kind = 'gate'
            UNION ALL
            SELECT 'pause', p.executor_name, p.reason, p.actor, p.until::text
            FROM oneroof.worker_pause p
            WHERE p.until IS NULL OR p.until > clock_timestamp()
            """;

    /**
     * What was read.
     *
     * @param open the keys of the gates that are open
     * @param closed why each of the others is closed
     * @param pauses by the name of the scope's executor
     */
    record Seen(Set<String> open, Map<String, String> closed, Map<String, Pause> pauses) {}

    Seen read(Tx tx) {
        Seen seen = new Seen(new HashSet<>(), new HashMap<>(), new HashMap<>());
        tx.query(READ)
                .map((row, context) -> {
                    String name = row.getString("name");
                    String reason = row.getString("reason");
                    if (row.getString("kind").equals("pause")) {
                        seen.pauses().put(name, new Pause(row.getString("actor"), reason, row.getString("until")));
                    } else if (reason == null) {
                        seen.open().add(name);
                    } else {
                        seen.closed().put(name, reason);
                    }
                    return name;
                })
                .list();
        return seen;
    }
}
