package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ssl.DefaultJavaSSLFactory;

/** What the driver is told, for what libpq's parameters say. */
class TlsTest {
    @TempDir
    Path folder;

    private Path named;
    private Path users;

    @BeforeEach
    void writeRoots() throws IOException {
        named = Files.createFile(folder.resolve("named.crt"));
        users = folder.resolve("root.crt");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    localhost           | prefer
                    LOCALHOST           | prefer
                    127.0.0.1           | prefer
                    127.255.3.4         | prefer
                    [::1]               | prefer
                    [0:0:0:0:0:0:0:1]   | prefer
                    db.example          | verify-full
                    localhost.evil      | verify-full
                    127.0.0.1.evil      | verify-full
                    127.0.0.256         | verify-full
                    127.1               | verify-full
                    10.0.0.1            | verify-full
                    [::2]               | verify-full
                    [::ffff:10.0.0.1]   | verify-full
                    """)
    void demandsProofByDefaultFromAServerThatIsNotOnLoopback(String host, String mode) {
        Tls tls = Tls.of(address(host, Map.of()), users);

        assertThat(tls.mode().value).isEqualTo(mode);
        assertThat(tls.isDefault()).isTrue();
    }

    /** The file of the user exists where the third column says so; the root is the named one, 'system' or none. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    disable     | -      | true  | disable     | -     | -
                    disable     | named  | true  | disable     | -     | -
                    allow       | -      | false | allow       | -     | -
                    prefer      | -      | false | prefer      | -     | -
                    require     | -      | false | require     | -     | -
                    require     | -      | true  | verify-ca   | users | -
                    require     | named  | false | verify-ca   | named | -
                    verify-ca   | -      | true  | verify-ca   | users | -
                    verify-ca   | named  | true  | verify-ca   | named | -
                    verify-full | -      | true  | verify-full | users | -
                    verify-full | named  | true  | verify-full | named | -
                    verify-full | -      | false | verify-full | -     | java
                    verify-full | system | true  | verify-full | -     | java
                    -           | system | true  | verify-full | -     | java
                    """)
    void tellsTheDriverWhatLibpqWouldDo(
            String mode, String root, boolean usersExists, String driverMode, String driverRoot, String factory)
            throws IOException {
        if (usersExists) {
            Files.createFile(users);
        }
        Map<String, String> parameters = new HashMap<>();
        if (mode != null) {
            parameters.put("sslmode", mode);
        }
        if (root != null) {
            parameters.put("sslrootcert", root.equals("named") ? named.toString() : root);
        }
        DatabaseAddress address = address("localhost", parameters);
        PGSimpleDataSource source = new PGSimpleDataSource();

        Tls.of(address, users).applyTo(source, address);

        assertThat(source.getSslmode()).isEqualTo(driverMode);
        assertThat(source.getSslRootCert())
                .isEqualTo(driverRoot == null ? null : (driverRoot.equals("named") ? named : users).toString());
        if (factory != null) {
            assertThat(source.getSslfactory()).isEqualTo(DefaultJavaSSLFactory.class.getName());
        } else {
            assertThat(source.getSslfactory()).isNotEqualTo(DefaultJavaSSLFactory.class.getName());
        }
    }

    @Test
    void refusesWhatWouldProtectLessThanItSays() {
        assertRefused(Map.of("sslmode", "require", "sslrootcert", "system"), "allowed is verify-full");
        assertRefused(Map.of("sslmode", "verify-ca"), "needs the certificate of the authority");
        assertRefused(Map.of("sslmode", "verify-full", "sslrootcert", "/no/where"), "'/no/where' cannot be read");
        assertRefused(Map.of("sslmode", "require", "sslrootcert", "/no/where"), "'/no/where' cannot be read");
        assertRefused(Map.of("sslmode", "prefer", "sslNegotiation", "direct"), "sslnegotiation 'direct'");
        assertRefused(Map.of("sslmode", "verify-full", "sslcert", "/my.crt"), "sslcert: '/my.crt' needs sslrootcert");
        assertRefused(
                Map.of("sslmode", "maybe"), "allowed are disable, allow, prefer, require, verify-ca, verify-full");
    }

    private void assertRefused(Map<String, String> parameters, String message) {
        assertThatThrownBy(() -> Tls.of(address("db.example", parameters), users))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining(message);
    }

    private static DatabaseAddress address(String host, Map<String, String> parameters) {
        return new DatabaseAddress(host, 5432, "reg", "ann", null, parameters);
    }
}
