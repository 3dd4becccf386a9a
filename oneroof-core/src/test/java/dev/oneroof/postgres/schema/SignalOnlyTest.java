package dev.oneroof.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;
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
                    {"Body": 1}                               | false
                    {"a": 1, "PASSWORD": 1}                   | false
                    {"ref": 1, "a": {"CONTENT": 1}}           | false
                    {"a": [{"Personal_Data": 1}]}             | false
                    {"pass\\u0057ord": 1}                    | false
                    {"Bodyguard": 1, "aBody": "BODY", "c": 1} | true
                    {"a": "\\"Body\\": ", "b": ["Body"]}      | true
                    {"x \\"Body": {"bodies": "Raw"}}          | true
                    [1, 2]                                    | false
                    "raw"                                     | false
                    """)
    void tellsAddressesFromContents(String document, boolean signal, TestDatabase database) {
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_signal_only(?::jsonb)", document))
                .isEqualTo(signal);
    }

    @Test
    void refusesEachKeyInWhateverLetters(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT w.word
                        FROM unnest('{body,content,raw,vector,embedding,secret,token,password,ssn,personal_data}'::text[]) k (key)
                        CROSS JOIN LATERAL (
                            VALUES (k.key), (upper(k.key)), (initcap(k.key)),
                                   (left(k.key, -1) || upper(right(k.key, 1))),
                                   (left(k.key, 1) || upper(substr(k.key, 2, 1)) || substr(k.key, 3))) w (word)
                        CROSS JOIN LATERAL (
                            VALUES (jsonb_build_object(w.word, 1)), (jsonb_build_object('ref', 7, w.word, 1)),
                                   (jsonb_build_object('a', jsonb_build_array(jsonb_build_object(w.word, 1))))) d (document)
                        WHERE oneroof.fn_signal_only(d.document)
                        """)).isEmpty();
    }

    @Test
    void namesTheKeyThatIsRefusedAndNoValue(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT k.key
                        FROM unnest('{body,content,raw,vector,embedding,secret,token,password,ssn,personal_data}'::text[]) k (key)
                        CROSS JOIN LATERAL (VALUES (k.key), (initcap(k.key))) w (word)
                        WHERE oneroof.fn_signal_fault(
                                  jsonb_build_object('a', jsonb_build_array(7, jsonb_build_object('b', 1, w.word, 'x'))))
                              IS DISTINCT FROM
                              format('its key ''a[1].%s'' is one of those that hold contents or secrets', w.word)
                        """)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    '{"body": "x"}'                          | its key 'body' is one of those that hold contents or secrets
                    '{"z": {"y": {"raw": 1}}, "b": 1}'       | its key 'z.y.raw' is one of those that hold contents or secrets
                    '{"a": [[{"Token": 1}]]}'                | its key 'a[0][0].Token' is one of those that hold contents or secrets
                    '{"a\\nb": {"raw": 1}}'                   | its key 'a b.raw' is one of those that hold contents or secrets
                    '[1, 2]'                                 | it is no object
                    NULL                                     | it is missing
                    jsonb_build_object('a', repeat('x', 8192)) | it has 8201 bytes
                    concat(repeat('{"a": ', 101), '{"body": 1}', repeat('}', 101)) | it is more than 100 levels deep
                    jsonb_build_object(repeat('é', 300), '{"raw": 1}'::jsonb) | its key '...%s.raw' is one of those that hold contents or secrets
                    """)
    void tellsWhyADocumentIsNoSignal(String document, String fault, TestDatabase database) {
        assertThat(database.value(String.class, "SELECT oneroof.fn_signal_fault((%s)::jsonb)".formatted(document)))
                .isEqualTo(fault.replace("%s", "é".repeat(196)));
    }

    @Test
    void refusesWhatIsTooLargeForASignal(TestDatabase database) {
        assertThat(database.value(
                        Boolean.class, "SELECT oneroof.fn_signal_only(jsonb_build_object('a', repeat('x', 8192)))"))
                .isFalse();
    }
}
