package dev.oneroof.testkit.server;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/**
 * The session time zone of the test connections: odd, and never the JVM's, so that code which leans on either by
 * accident gives a wrong time and a red test.
 */
final class SessionZone {
    private static final List<ZoneId> ODD =
            List.of(ZoneId.of("Asia/Kathmandu"), ZoneId.of("Australia/Eucla"), ZoneId.of("Pacific/Marquesas"));

    private SessionZone() {}

    static ZoneId unlike(ZoneId zone) {
        Instant now = Instant.now();
        return ODD.stream()
                .filter(odd ->
                        !odd.getRules().getOffset(now).equals(zone.getRules().getOffset(now)))
                .findFirst()
                .orElseThrow();
    }
}
