package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerSettingsTest {
    private static final Path DATA = Path.of("/home/data");

    @ParameterizedTest
    @CsvSource({"0, 128MB", "1, 128MB", "2, 128MB", "4, 256MB", "8, 512MB", "512, 512MB"})
    void takesAShareOfTheMachinesMemoryForPages(long gigabytes, String buffers) {
        assertThat(ServerSettings.buffers(gigabytes << 30)).isEqualTo(buffers);
    }

    @Test
    void leavesThatToWhoeverSaysOtherwise() {
        assertThat(new ServerSettings(Map.of("Shared_Buffers", "16MB")).asOptions(5432, DATA, 17))
                .contains("'shared_buffers=16MB'")
                .containsOnlyOnce("shared_buffers");
        assertThat(new ServerSettings(Map.of()).asOptions(5432, DATA, 17)).containsPattern("'shared_buffers=[0-9]+MB'");
    }
}
