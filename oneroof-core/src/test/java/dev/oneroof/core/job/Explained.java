package dev.oneroof.core.job;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How one statement was run.
 *
 * @param buffers pages it asked for, with those of the statements within its functions
 * @param nodes of its plan, from above
 */
record Explained(String statement, long buffers, List<Node> nodes) {
    private static final JsonMapper JSON = new JsonMapper();

    /**
     * One step of a plan, in all its loops.
     *
     * @param table empty where it reads none
     * @param rows what it gave
     * @param removed what it read, or joined, for nothing
     */
    record Node(String type, String table, String index, long rows, long removed) {
        /** Of its table, or in pairs that it joined for nothing. */
        long read() {
            return removed + (table.isEmpty() ? 0 : rows);
        }

        /** A table without rows is read as a whole with no harm. */
        boolean readsAllOf(Pattern tables) {
            return type.equals("Seq Scan") && tables.matcher(table).matches() && rows + removed > 0;
        }
    }

    /** By what {@code auto_explain} has logged in the form of JSON. */
    static Explained of(String json) {
        JsonNode logged = JSON.readTree(json);
        JsonNode plan = logged.path("Plan");
        List<Node> nodes = new ArrayList<>();
        add(plan, nodes);
        return new Explained(
                logged.path("Query Text").asString("").strip(),
                number(plan, "Shared Hit Blocks") + number(plan, "Shared Read Blocks"),
                List.copyOf(nodes));
    }

    private static void add(JsonNode plan, List<Node> nodes) {
        double loops = plan.path("Actual Loops").asDouble(0);
        nodes.add(new Node(
                plan.path("Node Type").asString(""),
                plan.path("Relation Name").asString(""),
                plan.path("Index Name").asString(""),
                Math.round(plan.path("Actual Rows").asDouble(0) * loops),
                Math.round((number(plan, "Rows Removed by Filter")
                                + number(plan, "Rows Removed by Join Filter")
                                + number(plan, "Rows Removed by Index Recheck"))
                        * loops)));
        plan.path("Plans").forEach(child -> add(child, nodes));
    }

    private static long number(JsonNode plan, String field) {
        return plan.path(field).asLong(0);
    }
}
