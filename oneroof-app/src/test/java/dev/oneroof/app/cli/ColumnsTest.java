package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ColumnsTest {
    private record Parcel(String name, int weight, @Nullable String owner) {}

    private static final Columns<Parcel> COLUMNS = new Columns<Parcel>()
            .with("NAME", Parcel::name)
            .with("WEIGHT", Parcel::weight)
            .with("OWNER", Parcel::owner);

    @Test
    void makesEachColumnAsWideAsItsWidestValue() {
        assertThat(COLUMNS.lines(List.of(new Parcel("a chest", 7, "ann"), new Parcel("box", 12345678, "bo"))))
                .containsExactly("NAME      WEIGHT     OWNER", "a chest   7          ann", "box       12345678   bo");
    }

    @Test
    void showsADashWhereThereIsNothing() {
        assertThat(COLUMNS.lines(List.of(new Parcel("box", 1, null))))
                .containsExactly("NAME   WEIGHT   OWNER", "box    1        -");
    }

    @Test
    void keepsAValueInItsLine() {
        assertThat(COLUMNS.lines(List.of(new Parcel("box\nforged", 1, "a\tb"))))
                .containsExactly("NAME         WEIGHT   OWNER", "box forged   1        a b");
    }

    @Test
    void printsItsHeadingAlsoOverNothing() {
        assertThat(COLUMNS.lines(List.of())).containsExactly("NAME   WEIGHT   OWNER");
    }
}
