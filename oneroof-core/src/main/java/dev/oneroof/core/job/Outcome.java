package dev.oneroof.core.job;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a handler says of a job. An exception is a {@link Retry} by the kind's backoff. */
public sealed interface Outcome {
    record Done() implements Outcome {}

    /**
     * It failed: another attempt, if there is one left.
     *
     * @param after how long until then; null is the kind's backoff
     */
    record Retry(String why, @Nullable Duration after) implements Outcome {
        public Retry {
            Objects.requireNonNull(why, "why");
            if (after != null) {
                demand("after", after);
            }
        }
    }

    /** It failed, and no attempt will go better: a dead letter at once. */
    record Dead(String why) implements Outcome {
        public Dead {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Not now. No attempt is counted. */
    record Snooze(Duration until) implements Outcome {
        public Snooze {
            demand("snooze", until);
        }
    }

    /** It need not be done any more. */
    record Cancel(String why) implements Outcome {
        public Cancel {
            Objects.requireNonNull(why, "why");
        }
    }

    private static void demand(String field, Duration time) {
        if (time.isNegative() || time.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException(
                    "%s: '%s' is not allowed; allowed are 0 to 365 days".formatted(field, time));
        }
    }

    static Outcome done() {
        return new Done();
    }

    static Outcome retry(String why) {
        return new Retry(why, null);
    }

    static Outcome retryIn(Duration after, String why) {
        return new Retry(why, after);
    }

    static Outcome dead(String why) {
        return new Dead(why);
    }

    static Outcome snooze(Duration time) {
        return new Snooze(time);
    }

    static Outcome cancel(String why) {
        return new Cancel(why);
    }
}
