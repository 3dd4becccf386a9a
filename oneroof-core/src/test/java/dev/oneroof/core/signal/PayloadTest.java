package dev.oneroof.core.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OneRoofTest
class PayloadTest {
    private static final String[] TAKEN = {
        "{}",
        " {\t\"a\" :\r\n1 } ",
        "[]",
        "[1, -0.5e+7, 1E3, 0, -0, 10.25]",
        "{\"a\": {\"b\": [true, false, null, \"x\"]}, \"c\": []}",
        "\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\\\u0000\"",
        "{\"é\": \"€ \\ud83d\\ude00\"}"
    };

    /** By the character from which on it is none. */
    private static final Map<String, Integer> NO_JSON = Map.ofEntries(
            Map.entry("nonsense", 1),
            Map.entry("", 1),
            Map.entry("{", 2),
            Map.entry("{a: 1}", 2),
            Map.entry("{\"a\"}", 5),
            Map.entry("{\"a\": 1,}", 9),
            Map.entry("{\"a\": 1 \"b\": 2}", 9),
            Map.entry("{\"a\": 01}", 8),
            Map.entry("{\"a\": .5}", 7),
            Map.entry("{\"a\": 1.}", 9),
            Map.entry("{\"a\": -}", 8),
            Map.entry("{\"a\": 1e}", 9),
            Map.entry("{\"a\": tru}", 7),
            Map.entry("{\"a\": NaN}", 7),
            Map.entry("{\"a\": 'x'}", 7),
            Map.entry("{\"a\": \"x", 9),
            Map.entry("{\"a\": \"x\n\"}", 9),
            Map.entry("{\"a\": \"\\x\"}", 8),
            Map.entry("{\"a\": \"\\u12g4\"}", 8),
            Map.entry("[1, 2", 6),
            Map.entry("[1,]", 4),
            Map.entry("[1}", 3),
            Map.entry("{}{}", 3));

    /** The database is the judge: what it takes is taken here, and what it does not is refused here. */
    @Test
    void takesWhatTheDatabaseTakes(TestDatabase database) {
        for (String json : TAKEN) {
            assertThat(new Payload(json).json()).isEqualTo(json);
            assertThat(database.value(Boolean.class, "SELECT ?::jsonb IS NOT NULL", json))
                    .as(json)
                    .isTrue();
        }
    }

    @Test
    void saysWhereItIsNoJson(TestDatabase database) {
        NO_JSON.forEach((json, character) -> {
            assertThatThrownBy(() -> database.run("SELECT ?::jsonb", json))
                    .as(json)
                    .hasMessageContaining("22P02");
            assertThatThrownBy(() -> new Payload(json))
                    .as(json)
                    .hasMessage("payload: it is no JSON from character %d on; allowed is a JSON object"
                            .formatted(character))
                    .isInstanceOfSatisfying(
                            OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\": \"\0\"}", "{\"a\": \"\\u0000\"}", "{\"a\\u0000\": 1}"})
    void refusesANul(String json) {
        assertThatThrownBy(() -> new Payload(json))
                .isInstanceOf(OneRoofException.class)
                .hasMessageMatching("payload: it holds a NUL at character \\d; allowed are texts without");
    }

    @Test
    void refusesANulAmongFields() {
        assertThatThrownBy(() -> Payload.of(Map.of("name", "a\0b")))
                .hasMessage("payload: it holds a NUL at character 12; allowed are texts without");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":"})
    void refusesWhatIsTooDeep(String open) {
        String message = "payload: it is more than 100 levels deep; allowed are at most 100";
        assertThatThrownBy(() -> new Payload(open.repeat(200_000))).hasMessage(message);
        assertThatThrownBy(() -> new Payload("[".repeat(101) + "]".repeat(101))).hasMessage(message);
        assertThat(new Payload("[".repeat(100) + "]".repeat(100)).json()).hasSize(200);
    }
}
