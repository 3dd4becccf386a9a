package dev.oneroof.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    @Test
    void countsTheSlipsOfTheFingers() {
        assertThat(Suggestion.distance("home", "home")).isZero();
        assertThat(Suggestion.distance("hoem", "home")).isEqualTo(1);
        assertThat(Suggestion.distance("hom", "home")).isEqualTo(1);
        assertThat(Suggestion.distance("", "home")).isEqualTo(4);
        assertThat(Suggestion.distance("kitten", "sitting")).isEqualTo(3);
    }

    @Test
    void listsWhatThereIsWhenNothingIsNear() {
        assertThat(Suggestion.forWord("zebra", List.of("db.schema", "home"))).isEqualTo("; known are db.schema, home");
    }
}
