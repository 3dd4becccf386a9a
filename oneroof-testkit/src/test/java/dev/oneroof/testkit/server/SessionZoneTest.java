package dev.oneroof.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class SessionZoneTest {
    @Test
    void differsFromAnyZone() {
        assertThat(SessionZone.unlike(ZoneId.of("UTC"))).isEqualTo(ZoneId.of("Asia/Kathmandu"));
        assertThat(SessionZone.unlike(ZoneId.of("Asia/Kathmandu"))).isEqualTo(ZoneId.of("Australia/Eucla"));
        assertThat(SessionZone.unlike(ZoneId.of("+05:45"))).isEqualTo(ZoneId.of("Australia/Eucla"));
    }
}
