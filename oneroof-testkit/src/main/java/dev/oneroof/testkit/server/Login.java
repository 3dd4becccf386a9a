package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.ServerAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Who connects to which database, under which name. */
record Login(ServerAddress address, String database, String application) {
    Connection connect() throws SQLException {
        return connect(address.user(), address.password());
    }

    Connection connect(String user, String password) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("ApplicationName", application);
        return DriverManager.getConnection(address.jdbcUrl(database), properties);
    }
}
