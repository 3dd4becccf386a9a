package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfirmationTest {
    @ParameterizedTest
    @ValueSource(strings = {"y\n", "Y\n", " yes \n", "y"})
    void goesOnAfterAYes(String answer) {
        assertThatCode(() -> answering(true, answer).demand("really?")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "n\n", "yep\n", "no\ny\n"})
    void stopsAfterAnythingElse(String answer) {
        assertRefused(answering(true, answer), ErrorCode.FAILED, "nothing was changed");
    }

    @Test
    void asksNobodyWhereThereIsNoTerminal() {
        assertRefused(answering(false, "y\n"), ErrorCode.INVALID_INPUT, "--yes");
    }

    private static Confirmation answering(boolean terminal, String answer) {
        return new Confirmation(
                terminal,
                new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)),
                new Console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream()));
    }

    private static void assertRefused(Confirmation confirmation, ErrorCode code, String told) {
        assertThatThrownBy(() -> confirmation.demand("really?"))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(told);
    }
}
