package dev.oneroof.core.worker;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a wake-up announces. Its name in lower case is the payload of the notification. */
public enum WakeUpLayer {
    EVENT,
    JOB,
    JOB_CANCEL;

    /** Empty for a payload that this version does not know. */
    static Optional<WakeUpLayer> ofPayload(String payload) {
        return Arrays.stream(values())
                .filter(layer -> layer.name().toLowerCase(Locale.ROOT).equals(payload))
                .findFirst();
    }
}
