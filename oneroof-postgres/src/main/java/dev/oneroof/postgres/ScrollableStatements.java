package dev.oneroof.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jdbi.v3.core.statement.DefaultStatementBuilder;
import org.jdbi.v3.core.statement.StatementContext;

/** Makes statements scrollable that ask for it. Without a fetch size the driver holds the whole result in any case. */
final class ScrollableStatements extends DefaultStatementBuilder {
    static final String ATTRIBUTE = "scrollable";

    @Override
    public PreparedStatement create(Connection connection, String sql, StatementContext context) throws SQLException {
        return context.getAttribute(ATTRIBUTE) == null
                ? super.create(connection, sql, context)
                : connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
    }
}
