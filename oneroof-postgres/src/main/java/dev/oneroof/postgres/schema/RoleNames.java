package dev.oneroof.postgres.schema;

import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The five roles. They belong to the whole cluster, so two OneRoofs in one cluster that must not share them carry
 * different prefixes.
 */
public record RoleNames(String prefix) {
    private static final Pattern ALLOWED = Pattern.compile("([a-z_][a-z0-9_]{0,39})?");

    public static final RoleNames DEFAULT = new RoleNames("");

    public RoleNames {
        if (!ALLOWED.matcher(prefix).matches() || prefix.startsWith("pg_")) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    ("db.role_prefix: '%s' is not allowed; allowed are up to 40 of a-z, 0-9 and _, not starting with a"
                                    + " digit or with pg_")
                            .formatted(prefix));
        }
    }

    /** Owns schema and tables; nobody logs in as it. */
    public String owner() {
        return prefix + "oneroof_owner";
    }

    /** What the running program may do. */
    public String server() {
        return prefix + "oneroof_server";
    }

    /** Registers executors and runs the operator's acts. */
    public String admin() {
        return prefix + "workflow_admin";
    }

    /** An executor in any language. */
    public String executor() {
        return prefix + "dot_executor";
    }

    /** Reads all, changes nothing. */
    public String viewer() {
        return prefix + "oneroof_viewer";
    }

    List<String> all() {
        return List.of(owner(), server(), admin(), executor(), viewer());
    }

    static String quoted(String role) {
        return Identifiers.quote("role", role);
    }
}
