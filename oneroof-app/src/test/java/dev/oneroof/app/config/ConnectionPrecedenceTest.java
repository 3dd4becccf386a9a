package dev.oneroof.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.LibpqParameter;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As in libpq, part by part: the URL, then our own settings, then the environment, then the default. */
class ConnectionPrecedenceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    sslmode              | PGSSLMODE            | require    | disable    | sslmode            | require | disable
                    sslnegotiation       | PGSSLNEGOTIATION     | postgres   | postgres   | sslNegotiation     | postgres | postgres
                    channel_binding      | PGCHANNELBINDING     | require    | disable    | channelBinding     | require | disable
                    require_auth         | PGREQUIREAUTH        | md5        | scram-sha-256 | requireAuth     | md5     | scram-sha-256
                    gssencmode           | PGGSSENCMODE         | disable    | prefer     | gssEncMode         | disable | prefer
                    krbsrvname           | PGKRBSRVNAME         | one        | two        | kerberosServerName | one     | two
                    gsslib               | PGGSSLIB             | gssapi     | sspi       | gsslib             | gssapi  | sspi
                    connect_timeout      | PGCONNECT_TIMEOUT    | 5          | -7         | connectTimeout     | 5       | 0
                    options              | PGOPTIONS            | one        | two        | options            | one     | two
                    target_session_attrs | PGTARGETSESSIONATTRS | read-write | any        | targetServerType   | primary | any
                    sslkey               | PGSSLKEY             | one        | two        | sslkey             | one     | two
                    """)
    void prefersTheUrlsParameterThenTheEnvironments(
            String parameter,
            String variable,
            String inUrl,
            String inEnvironment,
            String property,
            String first,
            String second) {
        Map<String, String> environment = Map.of(variable, inEnvironment);

        assertThat(address("postgres://127.0.0.1/reg?%s=%s".formatted(parameter, inUrl), environment)
                        .parameters())
                .isEqualTo(Map.of(property, first));
        assertThat(address("postgres://127.0.0.1/reg", environment).parameters())
                .isEqualTo(Map.of(property, second));
        assertThat(address("postgres://127.0.0.1/reg", Map.of()).parameters()).isEmpty();
        assertThat(address(null, with(environment, "PGDATABASE", "reg")).parameters())
                .isEqualTo(Map.of(property, second));
        assertThat(address(null, with(environment, "DATABASE_URL", "postgres://127.0.0.1/reg"))
                        .parameters())
                .isEqualTo(Map.of(property, second));
    }

    @Test
    void takesCertificatesFromTheEnvironment(@TempDir Path folder) throws IOException {
        String root = Files.createFile(folder.resolve("root.crt")).toString();

        assertThat(address("postgres://h/reg", Map.of("PGSSLROOTCERT", root, "PGSSLCERT", "c", "PGSSLKEY", "k"))
                        .parameters())
                .isEqualTo(Map.of("sslrootcert", root, "sslcert", "c", "sslkey", "k"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    postgres://bob:b@u.example:1/ud                           | bob | b | u.example | 1    | ud
                    postgres://u.example                                      | ann | p | u.example | 6432 | ed
                    postgres://bob@u.example                                  | bob | p | u.example | 6432 | ed
                    postgres://:b@u.example                                   | ann | b | u.example | 6432 | ed
                    postgres:///ud                                            | ann | p | e.example | 6432 | ud
                    postgres://                                               | ann | p | e.example | 6432 | ed
                    postgres://x:y@x:9/x?user=bob&password=b&host=u&port=1&dbname=ud | bob | b | u | 1     | ud
                    jdbc:postgresql://u.example/ud?user=bob&password=b        | bob | b | u.example | 6432 | ud
                    -                                                         | ann | p | e.example | 6432 | ed
                    """)
    void takesEachPartOfTheAddressFromTheFirstPlaceThatHasIt(
            String url, String user, String password, String host, int port, String database) {
        Map<String, String> environment =
                Map.of("PGHOST", "e.example", "PGPORT", "6432", "PGDATABASE", "ed", "PGUSER", "ann", "PGPASSWORD", "p");

        assertThat(address(url, environment))
                .isEqualTo(new DatabaseAddress(host, port, database, user, password, Map.of()));
    }

    @Test
    void prefersItsOwnLoginToTheEnvironments() {
        Map<String, String> environment =
                Map.of("PGUSER", "ann", "PGPASSWORD", "p", "ONEROOF_DB_USER", "own", "ONEROOF_DB_PASSWORD", "secret");

        assertThat(address("postgres://h/reg", environment))
                .isEqualTo(new DatabaseAddress("h", 5432, "reg", "own", "secret", Map.of()));
    }

    @Test
    void hasLibpqsDefaults() {
        assertThat(address("postgres://bob@", Map.of("PGPASSWORD", "", "PGHOST", "", "PGPORT", "")))
                .isEqualTo(new DatabaseAddress("localhost", 5432, "bob", "bob", null, Map.of()));
        assertThat(address("postgres://h", Map.of()).database()).isEqualTo(System.getProperty("user.name"));
        assertThat(address(null, Map.of("PGHOST", "::1")).host()).isEqualTo("[::1]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    PGHOSTADDR              | 10.0.0.1
                    PGSERVICE               | prod
                    PGSSLCRL                | /revoked.crl
                    PGSSLCRLDIR             | /revoked
                    PGSSLCERTMODE           | require
                    PGSSLSNI                | 0
                    PGSSLMINPROTOCOLVERSION | TLSv1.3
                    PGSSLMAXPROTOCOLVERSION | TLSv1.2
                    PGREQUIRESSL            | 1
                    PGHOST                  | /var/run/postgresql
                    PGHOST                  | a,b
                    PGPORT                  | 0
                    PGSSLMODE               | ''
                    PGSSLMODE               | REQUIRE
                    PGCHANNELBINDING        | yes
                    PGGSSENCMODE            | on
                    PGTARGETSESSIONATTRS    | standby
                    PGCONNECT_TIMEOUT       | soon
                    """)
    void refusesAVariableThatItCannotHonour(String variable, String value) {
        assertThatThrownBy(() -> address("postgres://127.0.0.1:5432/reg", Map.of(variable, value)))
                .isInstanceOf(OneRoofException.class)
                .hasMessageStartingWith(variable)
                .hasMessageMatching("(?s).*(is not allowed; allowed|is set and not supported; ).*");
    }

    @Test
    void looksAtNoVariableForTheEmbeddedServer() {
        assertThat(new ConfigLoader(Map.of("PGSSLMODE", "x", "PGSERVICE", "x", "PGPORT", "x"), ConfigFlags.NONE)
                        .load()
                        .database())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sslcrl=x          | sslcrl is set and not supported
                    sslpassword=x     | sslpassword is set and not supported
                    service=x         | service is set and not supported
                    sslmode=x         | sslmode: 'x' is not allowed; allowed are disable, allow, prefer, require, verify-ca, verify-full
                    require_auth=bogus | require_auth: 'bogus' is not allowed; allowed are none, password, md5
                    requireAuth=bogus | requireAuth: 'bogus' is not allowed; allowed are none, password, md5
                    ssl=maybe         | ssl: 'maybe' is not allowed; allowed are true
                    sslmod=require    | parameter 'sslmod' is not known
                    channelBinding=require&channel_binding=disable | given under two names
                    """)
    void refusesAParameterThatItCannotHonour(String query, String message) {
        assertThatThrownBy(() -> address("postgres://127.0.0.1/reg?" + query, Map.of()))
                .isInstanceOf(OneRoofException.class)
                .hasMessageStartingWith("db.url: ")
                .hasMessageContaining(message);
    }

    @Test
    void understandsTheDriversOwnSwitch() {
        assertThat(address("postgres://127.0.0.1/reg?ssl=true", Map.of("PGSSLMODE", "disable"))
                        .parameters())
                .isEqualTo(Map.of("sslmode", "verify-full"));
        assertThat(address("postgres://127.0.0.1/reg?ssl=true&sslmode=require", Map.of())
                        .parameters())
                .isEqualTo(Map.of("sslmode", "require"));
    }

    @Test
    void documentsEveryVariable() {
        String page = ConfigReference.markdown();
        Set<String> missing = LibpqParameter.ALL.stream()
                .flatMap(parameter -> parameter.variable().stream())
                .filter(variable -> !page.contains("`" + variable + "`"))
                .collect(Collectors.toSet());

        assertThat(missing).isEmpty();
    }

    private static DatabaseAddress address(@Nullable String url, Map<String, String> environment) {
        Map<String, String> all = url == null ? environment : with(environment, "ONEROOF_DB_URL", url);
        return new ConfigLoader(all, ConfigFlags.NONE).load().database().orElseThrow();
    }

    private static Map<String, String> with(Map<String, String> environment, String name, String value) {
        Map<String, String> all = new HashMap<>(environment);
        all.put(name, value);
        return all;
    }
}
