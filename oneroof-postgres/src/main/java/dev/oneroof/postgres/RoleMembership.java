package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Says which role a login lacks, where a privilege is missing. */
public final class RoleMembership {
    private static final String MISSING = """
            SELECT session_user, format('GRANT %I TO %I', rolname, session_user)
              FROM pg_roles
             WHERE rolname = ? AND NOT pg_has_role(session_user, oid, 'MEMBER')
            """;

    private RoleMembership() {}

    /** Like {@link Connections#explained(DatabaseAddress, Exception)}, for what is done as {@code role}. */
    public static OneRoofException explained(DatabaseAddress address, String role, Exception failure) {
        if (!SqlState.isPrivilegeMissing(failure)) {
            return Connections.explained(address, failure);
        }
        try (Connection connection = Connections.plain(address, "oneroof").getConnection();
                PreparedStatement query = connection.prepareStatement(MISSING)) {
            query.setString(1, role);
            try (ResultSet missing = query.executeQuery()) {
                return missing.next()
                        ? new OneRoofException(
                                ErrorCode.PRIVILEGE_MISSING,
                                "user '%s' is not a member of role '%s', which this command acts as; a DBA grants it: %s"
                                        .formatted(missing.getString(1), role, missing.getString(2)),
                                failure)
                        : Connections.explained(address, failure);
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
            return Connections.explained(address, failure);
        }
    }
}
