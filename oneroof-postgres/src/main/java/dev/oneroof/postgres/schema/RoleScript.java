package dev.oneroof.postgres.schema;

/** The statements that make a role of OneRoof's, or take over one. Names of roles need no quotes in a text. */
final class RoleScript {
    /** How the comment on each of our roles begins. */
    static final String MARK = "OneRoof role";

    // The server puts it together: the comment before may hold any text. What is adopted is written down where it is
    // seen.
    static final String ADOPTION = """
            SELECT format(
                'COMMENT ON ROLE %I IS %L',
                CAST(? AS text),
                format('OneRoof role, adopted at %s by %s%s', date_trunc('second', now()), session_user,
                       ', said before: ' || CAST(? AS text)))
            """;

    private RoleScript() {}

    /** One statement, so that no other migration finds the role without its comment. */
    static String create(String role) {
        return "DO $$ BEGIN %s END $$".formatted(creation(role));
    }

    private static String creation(String role) {
        return "CREATE ROLE %1$s NOLOGIN; COMMENT ON ROLE %1$s IS '%2$s';".formatted(RoleNames.quoted(role), MARK);
    }

    /** Makes it where it is missing, and refuses or adopts one that OneRoof has not made. */
    static String ensure(String role, boolean adopts) {
        return """
                DO $$
                DECLARE
                    v_role record;
                BEGIN
                    SELECT r.*, pg_catalog.shobj_description(r.oid, 'pg_authid') AS comment INTO v_role
                    FROM pg_catalog.pg_roles r WHERE r.rolname = '%1$s';
                    IF NOT FOUND THEN
                        %2$s
                    ELSIF v_role.comment IS NULL OR v_role.comment NOT LIKE '%3$s%%' THEN
                        %4$s
                    END IF;
                END $$;""".formatted(role, creation(role), MARK, adopts ? adoption(role) : refusal(role));
    }

    private static String refusal(String role) {
        return """
                RAISE EXCEPTION 'role %1$s exists and was not made by OneRoof'
                            USING HINT = 'Set db.role_prefix and print this file again, or print it with --adopt-roles.';""".formatted(role);
    }

    private static String adoption(String role) {
        return """
                IF v_role.rolsuper OR v_role.rolcreaterole OR v_role.rolcreatedb OR v_role.rolreplication OR v_role.rolbypassrls THEN
                            RAISE EXCEPTION 'role %1$s has rights on the whole cluster, and is not adopted with them'
                                USING HINT = 'Take them away with ALTER ROLE, or set db.role_prefix and print this file again.';
                        END IF;
                        EXECUTE format(
                            'COMMENT ON ROLE %%I IS %%L', v_role.rolname,
                            format('%2$s, adopted at %%s by %%s%%s', date_trunc('second', now()), session_user,
                                   ', said before: ' || v_role.comment));""".formatted(role, MARK);
    }
}
