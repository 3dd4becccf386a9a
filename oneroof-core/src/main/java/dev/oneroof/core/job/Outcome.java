package dev.oneroof.core.job;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of a handler. An exception counts as a {@link Retry} with the kind's backoff. */
public sealed interface Outcome {
    record Done() implements Outcome {}

    /**
     * The attempt failed: another one follows if any is left.
     *
     * @param after the delay; null is the kind's backoff
     */
    record Retry(String why, @Nullable Duration after) implements Outcome {
        public Retry {
            Objects.requireNonNull(why, "why");
            if (after != null) {
                demand("after", after);
            }
        }
    }

    /** The attempt failed, and a retry would fail as well: a dead letter immediately. */
    record Dead(String why) implements Outcome {
        public Dead {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Run it again later. No attempt is counted. */
    record Snooze(Duration until) implements Outcome {
        public Snooze {
            demand("snooze", until);
        }
    }

    /** The job is no longer needed. */
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
