package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the tests start from: servers that share their extracted programs, and a way to talk to them. */
final class Given {
    static final Path CACHE = Path.of(System.getProperty("oneroof.test.postgres.cache"));

    private Given() {}

    static EmbeddedConfig home(Path directory) {
        return EmbeddedConfig.in(directory).withBinaries(binaries());
    }

    static PostgresBinaries binaries() {
        return PostgresBinaries.bundled().cachedIn(CACHE);
    }

    static Path jar(String name) {
        return Path.of(System.getProperty("oneroof.test.postgres." + name));
    }

    static Connection connect(ServerAddress address) throws SQLException {
        return DriverManager.getConnection(address.jdbcUrl("postgres"), address.user(), address.password());
    }

    static void execute(ServerAddress address, String... statements) throws SQLException {
        try (Connection connection = connect(address);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static String one(ServerAddress address, String sql) throws SQLException {
        try (Connection connection = connect(address);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return String.valueOf(rows.getString(1));
        }
    }

    /** Another program that has the port. */
    static ServerSocket listener(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }

    static OneRoofException refused(ErrorCode code, ThrowingCallable call) {
        OneRoofException refusal = Assertions.catchThrowableOfType(OneRoofException.class, call);
        assertThat(refusal).as("a refusal with %s", code).isNotNull();
        assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
        return refusal;
    }

    static long postmaster(Path directory) throws IOException {
        return PostmasterFile.read(directory.toRealPath().resolve("data"))
                .orElseThrow()
                .pid();
    }

    static List<ProcessHandle> processes(Path directory) throws IOException {
        return new ServerProcesses(directory.toRealPath().resolve("data")).all();
    }
}
