package dev.oneroof.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class SignalOnlyTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    {}                                        | true
                    {"doing": "working", "no": 3, "x": null}  | true
                    {"a": ["body", {"b": "password"}]}        | true
                    {"body": 1}                               | false
                    {"content": null}                         | false
                    {"a": {"b": {"password": "x"}}}           | false
                    {"a": [1, [{"c": [{"token": {}}]}]]}      | false
                    {"personal_data": []}                     | false
                    [1, 2]                                    | false
                    "raw"                                     | false
                    """)
    void tellsAddressesFromContents(String document, boolean signal, TestDatabase database) {
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_signal_only(?::jsonb)", document))
                .isEqualTo(signal);
    }

    @org.junit.jupiter.api.Test
    void refusesWhatIsTooLargeForASignal(TestDatabase database) {
        assertThat(database.value(
                        Boolean.class, "SELECT oneroof.fn_signal_only(jsonb_build_object('a', repeat('x', 8192)))"))
                .isFalse();
    }
}
