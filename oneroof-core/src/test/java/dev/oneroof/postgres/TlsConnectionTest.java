package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.await.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real server with TLS, whose certificate is for {@code localhost}. */
class TlsConnectionTest {
    private static final String NOT_FOR = "has a certificate that is not for '127.0.0.1'";

    @TempDir
    static Path folder;

    private static Authority signer;
    private static Authority stranger;
    private static EmbeddedPostgres server;

    @BeforeAll
    static void serveTls() throws Exception {
        signer = new Authority(folder, "signer");
        stranger = new Authority(folder, "stranger");
        Path home = folder.resolve("home");
        server = EmbeddedPostgres.open(EmbeddedConfig.in(home));
        Path data = dataIn(home);
        Path certificate = data.resolve("server.crt");
        Path key = data.resolve("server.key");
        signer.sign("dns:localhost", certificate, key);
        // The server may have an account of its own.
        Files.setOwner(certificate, Files.getOwner(data));
        Files.setOwner(key, Files.getOwner(data));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        try (Connection connection = Connections.plain(address("127.0.0.1", Map.of("sslmode", "disable")), "test")
                        .getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET ssl = on");
            statement.execute("SELECT pg_reload_conf()");
        }
        // A reload takes a moment; the next session asks until it is done.
        Await.patiently().until("the server speaks TLS", () -> connects("require"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void connectsToTheServerThatTheAuthorityVouchesFor() throws SQLException {
        assertThat(tlsVersion("localhost", Map.of("sslmode", "verify-full", "sslrootcert", root(signer))))
                .startsWith("TLSv1.");
        assertThat(tlsVersion("127.0.0.1", Map.of("sslmode", "verify-ca", "sslrootcert", root(signer))))
                .startsWith("TLSv1.");
    }

    @Test
    void poolsSessionsThatAreProtected() throws SQLException {
        DatabaseAddress address = address("localhost", Map.of("sslmode", "verify-full", "sslrootcert", root(signer)));
        try (HikariDataSource pool = Connections.pool(address, "test", null, 2);
                Connection connection = pool.getConnection()) {
            assertThat(tlsVersion(connection)).startsWith("TLSv1.");
        }
    }

    /** A session that is cut is no failure of the handshake, and nothing about certificates explains it. */
    @Test
    void saysNothingOfCertificatesWhereASessionIsCut() {
        SQLException cut = new SQLException("An I/O error", "08006", new SSLException("Connection reset"));

        assertThat(Connections.explained(address("localhost", Map.of()), cut).message())
                .startsWith("cannot reach postgres://")
                .endsWith("Connection reset");
    }

    @Test
    void refusesACertificateForAnotherName() {
        assertThatThrownBy(() -> verify("127.0.0.1", Map.of("sslmode", "verify-full", "sslrootcert", root(signer))))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining(NOT_FOR)
                .hasMessageContaining("sslmode is 'verify-full'")
                .hasMessageContaining("'verify-ca' takes any name; by sslmode in the URL or PGSSLMODE")
                .extracting(e -> ((OneRoofException) e).code())
                .isEqualTo(ErrorCode.DATABASE_UNREACHABLE);
    }

    @Test
    void refusesAServerOfAnotherAuthority() {
        for (String mode : new String[] {"verify-full", "verify-ca", "require"}) {
            assertThatThrownBy(() -> verify("localhost", Map.of("sslmode", mode, "sslrootcert", root(stranger))))
                    .as(mode + " with a root certificate, as in libpq")
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageContaining("TLS with postgres://")
                    .hasMessageContaining("sslmode is '" + mode + "'")
                    .hasMessageContaining("trusted are those in " + root(stranger))
                    .hasMessageContaining("sslrootcert or PGSSLROOTCERT");
        }
    }

    @Test
    void trustsNoAuthorityOfItsOwnAccordThatJavaDoesNot() {
        assertThatThrownBy(() -> verify("localhost", Map.of("sslrootcert", "system")))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining("trusted are the certificates that this Java trusts")
                .hasMessageContaining("sslmode is 'verify-full'");
    }

    @Test
    void saysThatAFileHoldsNoCertificate() throws IOException {
        Path broken = Files.writeString(folder.resolve("broken.crt"), "no certificate");

        assertThatThrownBy(
                        () -> verify("localhost", Map.of("sslmode", "verify-full", "sslrootcert", broken.toString())))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining(broken.toString());
    }

    private static boolean connects(String mode) {
        try {
            return !tlsVersion("localhost", Map.of("sslmode", mode, "sslrootcert", root(signer)))
                    .isEmpty();
        } catch (SQLException e) {
            return false;
        }
    }

    private static String tlsVersion(String host, Map<String, String> parameters) throws SQLException {
        try (Connection connection =
                Connections.plain(address(host, parameters), "test").getConnection()) {
            return tlsVersion(connection);
        }
    }

    private static String tlsVersion(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static void verify(String host, Map<String, String> parameters) {
        Connections.verify(address(host, parameters));
    }

    private static String root(Authority authority) {
        return authority.root().toString();
    }

    private static DatabaseAddress address(String host, Map<String, String> parameters) {
        return new DatabaseAddress(
                host,
                server.address().port(),
                "postgres",
                server.address().user(),
                server.address().password(),
                parameters);
    }

    private static Path dataIn(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith("PG_VERSION"))
                    .map(Path::getParent)
                    .filter(parent -> Files.exists(parent.resolve("postgresql.conf")))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
