package dev.oneroof.app.connect;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A database that can be reached, and the embedded server with it where this process runs one. */
public final class OpenDatabase implements AutoCloseable {
    private static final String EMBEDDED_DATABASE = "oneroof";

    private final DatabaseAddress address;
    private final String instance;
    private final @Nullable EmbeddedPostgres server;

    private OpenDatabase(DatabaseAddress address, String instance, @Nullable EmbeddedPostgres server) {
        this.address = address;
        this.instance = instance;
        this.server = server;
    }

    public static OpenDatabase open(AppConfig config, Access access) {
        if (config.database().isPresent()) {
            return external(config.database().get());
        }
        return embedded(config, access);
    }

    private static OpenDatabase external(DatabaseAddress address) {
        Connections.verify(address);
        return new OpenDatabase(address, "%s/%s".formatted(hostName(), UUID.randomUUID()), null);
    }

    private static OpenDatabase embedded(AppConfig config, Access access) {
        Path home = config.home();
        if (access != Access.OWN) {
            Optional<ServerAddress> running = EmbeddedPostgres.running(home);
            if (running.isPresent()) {
                return ready(running.get(), null);
            }
        }
        refuseForeignFolder(home);
        if (access == Access.LOOK && !Files.exists(home.resolve("data"))) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "home: there is no database in '%s'; 'oneroof demo' makes one, --db uses a server of yours"
                            .formatted(home));
        }
        EmbeddedPostgres server = owned(EmbeddedConfig.in(home).withPort(config.embeddedPort()));
        try {
            return ready(server.address(), server);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static EmbeddedPostgres owned(EmbeddedConfig config) {
        try {
            return EmbeddedPostgres.open(config);
        } catch (OneRoofException e) {
            throw e.code() == ErrorCode.HOME_IN_USE
                    ? new OneRoofException(e.code(), e.message() + " That is: --home FOLDER.", e)
                    : e;
        }
    }

    /** A folder with other things in it was not meant to become a home. */
    private static void refuseForeignFolder(Path home) {
        if (!Files.isDirectory(home) || Files.exists(home.resolve("owner.lock"))) {
            return;
        }
        try (Stream<Path> content = Files.list(home)) {
            if (content.findAny().isPresent()) {
                throw new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "home: '%s' holds other things; allowed is a home of OneRoof, an empty folder or a new one"
                                .formatted(home));
            }
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.HOME_NOT_WRITABLE, "home: '%s' cannot be looked into".formatted(home), e);
        }
    }

    /**
     * The owner of a home bears the same name each time it starts. It is the only one who can, so it may take back at
     * once the leases it held when it was killed.
     */
    private static OpenDatabase ready(ServerAddress server, @Nullable EmbeddedPostgres owned) {
        DatabaseAddress maintenance = new DatabaseAddress(
                server.host(), server.port(), "postgres", server.user(), server.password(), Map.of());
        createDatabase(maintenance);
        return new OpenDatabase(maintenance.withDatabase(EMBEDDED_DATABASE), hostName() + "/embedded", owned);
    }

    private static void createDatabase(DatabaseAddress maintenance) {
        try (Connection connection = Connections.plain(maintenance, "oneroof").getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT 1 FROM pg_catalog.pg_database WHERE datname = '%s'".formatted(EMBEDDED_DATABASE))) {
            if (!found.next()) {
                statement.execute("CREATE DATABASE " + EMBEDDED_DATABASE);
            }
        } catch (SQLException e) {
            throw Connections.explained(maintenance, e);
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    public DatabaseAddress address() {
        return address;
    }

    /** The name under which this process holds leases. */
    public String instance() {
        return instance;
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
