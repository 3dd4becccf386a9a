package dev.oneroof.postgres.schema;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A role that is in the cluster, and what it can do.
 *
 * @param login whether it may log in
 * @param powers rights that concern the whole cluster, in words
 * @param members who has its rights
 * @param groups whose rights it has
 */
record FoundRole(
        String name,
        @Nullable String comment,
        boolean login,
        List<String> powers,
        List<String> members,
        List<String> groups) {

    private static final String FIND = """
            SELECT r.rolname, pg_catalog.shobj_description(r.oid, 'pg_authid') AS comment, r.rolcanlogin,
                   array_remove(
                       ARRAY[
                           CASE WHEN r.rolsuper THEN 'is superuser' END,
                           CASE WHEN r.rolcreaterole THEN 'may create roles' END,
                           CASE WHEN r.rolcreatedb THEN 'may create databases' END,
                           CASE WHEN r.rolreplication THEN 'may replicate' END,
                           CASE WHEN r.rolbypassrls THEN 'bypasses row security' END],
                       NULL) AS powers,
                   ARRAY(
                       SELECT m.rolname::text
                       FROM pg_catalog.pg_auth_members a
                       JOIN pg_catalog.pg_roles m ON m.oid = a.member
                       WHERE a.roleid = r.oid
                       GROUP BY 1 ORDER BY 1) AS members,
                   ARRAY(
                       SELECT g.rolname::text
                       FROM pg_catalog.pg_auth_members a
                       JOIN pg_catalog.pg_roles g ON g.oid = a.roleid
                       WHERE a.member = r.oid
                       GROUP BY 1 ORDER BY 1) AS groups
            FROM pg_catalog.pg_roles r
            WHERE r.rolname = ANY (?)
            ORDER BY 1
            """;

    static List<FoundRole> find(Connection connection, List<String> names) throws SQLException {
        List<FoundRole> found = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(FIND)) {
            query.setArray(1, connection.createArrayOf("text", names.toArray()));
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(new FoundRole(
                            rows.getString("rolname"),
                            rows.getString("comment"),
                            rows.getBoolean("rolcanlogin"),
                            texts(rows.getArray("powers")),
                            texts(rows.getArray("members")),
                            texts(rows.getArray("groups"))));
                }
            }
        }
        return found;
    }

    private static List<String> texts(Array array) throws SQLException {
        return List.of((String[]) array.getArray());
    }

    /** Another OneRoof in the cluster may have made it; roles are shared. */
    boolean isOurs() {
        return comment != null && comment.startsWith(RoleScript.MARK);
    }

    boolean isTooPowerful() {
        return !powers.isEmpty();
    }

    @Override
    public String toString() {
        List<String> facts = new ArrayList<>();
        facts.add(login ? "may log in" : "may not log in");
        facts.addAll(powers);
        facts.add(members.isEmpty() ? "has no members" : "has members " + String.join(", ", members));
        if (!groups.isEmpty()) {
            facts.add("is a member of " + String.join(", ", groups));
        }
        return "role %s (%s)".formatted(name, String.join(", ", facts));
    }
}
