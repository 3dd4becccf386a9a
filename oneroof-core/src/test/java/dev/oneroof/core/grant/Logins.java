package dev.oneroof.core.grant;

import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Logins of one test. They belong to the server, so their names hold the database's, and they are dropped after the test. */
final class Logins implements AutoCloseable {
    private static final String PASSWORD = "of-the-test";

    private final TestDatabase database;
    private final List<String> names = new ArrayList<>();

    Logins(TestDatabase database) {
        this.database = database;
    }

    /** A new login, with what {@code CREATE ROLE} shall say of it, such as {@code IN ROLE dot_executor}. */
    String create(String suffix, String options) {
        String name = database.name() + suffix;
        names.add(name);
        database.run("CREATE ROLE %s LOGIN PASSWORD '%s' %s".formatted(Sql.identifier(name), PASSWORD, options));
        return name;
    }

    String executor(String suffix) {
        return create(suffix, "IN ROLE dot_executor");
    }

    void rename(String from, String to) {
        database.run("ALTER ROLE %s RENAME TO %s".formatted(Sql.identifier(from), Sql.identifier(to)));
        // The old name was part of the hash, where passwords are hashed by MD5.
        database.run("ALTER ROLE %s PASSWORD '%s'".formatted(Sql.identifier(to), PASSWORD));
        names.remove(from);
        names.add(to);
    }

    void drop(String name) {
        database.run("DROP ROLE " + Sql.identifier(name));
        names.remove(name);
    }

    /** A session of this login, which the test closes. */
    Sql connect(String name) {
        try {
            return new Sql(database.dataSource().getConnection(name, PASSWORD));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot log in as " + name, e);
        }
    }

    @Override
    public void close() {
        List.copyOf(names).forEach(name -> {
            database.run("DROP OWNED BY " + Sql.identifier(name));
            drop(name);
        });
    }
}
