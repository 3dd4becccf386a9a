package dev.oneroof.app.connect;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.RunningServer;
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
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A database that can be reached, and the embedded server with it where this process runs one. */
public final class OpenDatabase implements AutoCloseable {
    private static final String EMBEDDED_DATABASE = "oneroof";

    private final DatabaseAddress address;
    private final DatabaseAddress admin;
    private final String instance;
    private final boolean isEmbedded;
    private final @Nullable EmbeddedPostgres server;

    private OpenDatabase(
            DatabaseAddress address,
            DatabaseAddress admin,
            String instance,
            boolean isEmbedded,
            @Nullable EmbeddedPostgres server) {
        this.address = address;
        this.admin = admin;
        this.instance = instance;
        this.isEmbedded = isEmbedded;
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
        return new OpenDatabase(address, address, "%s/%s".formatted(hostName(), UUID.randomUUID()), false, null);
    }

    private static OpenDatabase embedded(AppConfig config, Access access) {
        Path home = config.home();
        if (access != Access.OWN) {
            Optional<RunningServer> running = trusted(() -> EmbeddedPostgres.find(home));
            if (running.isPresent()) {
                return ready(running.get(), null);
            }
        }
        refuseForeignFolder(home);
        if (access == Access.LOOK && !Files.exists(home.resolve("data"))) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "home: there is no database in '%s'; 'oneroof demo' creates one, --db uses your own server"
                            .formatted(home));
        }
        EmbeddedConfig wanted = EmbeddedConfig.in(home).withPort(config.embeddedPort());
        EmbeddedPostgres server = trusted(() -> EmbeddedPostgres.open(wanted));
        try {
            return ready(server.logins(), server);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Adds the option that selects another folder. */
    private static <T> T trusted(Supplier<T> way) {
        try {
            return way.get();
        } catch (OneRoofException e) {
            throw e.code() == ErrorCode.HOME_IN_USE || e.code() == ErrorCode.HOME_NOT_TRUSTED
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
                        "home: '%s' contains other files; allowed is a home of OneRoof, an empty folder or a new one"
                                .formatted(home));
            }
        } catch (IOException e) {
            throw new OneRoofException(ErrorCode.HOME_NOT_WRITABLE, "home: '%s' cannot be read".formatted(home), e);
        }
    }

    /**
     * The owner of a home has the same instance name at each start. No other process can use it, so it may take back at
     * once the leases it held when it was killed.
     */
    private static OpenDatabase ready(RunningServer server, @Nullable EmbeddedPostgres owned) {
        DatabaseAddress admin = address(server.admin(), EMBEDDED_DATABASE);
        DatabaseAddress program = address(server.program(), EMBEDDED_DATABASE);
        new EmbeddedDatabase(
                        address(server.admin(), "postgres"),
                        admin,
                        server.program().user())
                .ensure();
        return new OpenDatabase(program, admin, hostName() + "/embedded", true, owned);
    }

    private static DatabaseAddress address(ServerAddress server, String database) {
        return new DatabaseAddress(server.host(), server.port(), database, server.user(), server.password(), Map.of());
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** For all that is done with the database once it is ready. */
    public DatabaseAddress address() {
        return address;
    }

    /** For making roles and schemas. On a server of the user's the same login. */
    public DatabaseAddress admin() {
        return admin;
    }

    public boolean isEmbedded() {
        return isEmbedded;
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
