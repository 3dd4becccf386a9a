package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait after failures in a row: the first delay, doubled with each further failure, up to the longest.
 *
 * @param jitter the largest share by which a delay is randomly shortened or lengthened; 0 is none
 */
public record Backoff(Duration first, Duration longest, double jitter) {
    public Backoff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "backoff: first '%s', longest '%s'; allowed is 0 < first <= longest".formatted(first, longest));
        }
        if (!(jitter >= 0 && jitter < 1)) {
            throw new IllegalArgumentException("backoff: jitter '%s'; allowed is 0 <= jitter < 1".formatted(jitter));
        }
    }

    /** Without jitter. */
    public static Backoff of(Duration first, Duration longest) {
        return new Backoff(first, longest, 0);
    }

    /** With jitter, so that processes that failed together do not retry together. */
    public Backoff withJitter(double share) {
        return new Backoff(first, longest, share);
    }

    /**
     * How long to wait after this many failures in a row.
     *
     * @param failures 1 after the first
     */
    public Duration delay(int failures) {
        Duration delay = first;
        // The cap ends the loop after a few doublings, and keeps the product from overflowing.
        for (int n = 1; n < failures && delay.compareTo(longest) < 0; n++) {
            delay = delay.compareTo(longest.dividedBy(2)) > 0 ? longest : delay.multipliedBy(2);
        }
        return jitter == 0 ? delay : jittered(delay);
    }

    private Duration jittered(Duration delay) {
        double factor = ThreadLocalRandom.current().nextDouble(1 - jitter, 1 + jitter);
        return Duration.ofNanos((long) (delay.toNanos() * factor));
    }
}
