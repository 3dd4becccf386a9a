package dev.oneroof.core.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A kind of job, and how it is run. The database checks the values when it is registered.
 *
 * @param domain the event domain whose wake-up channel its jobs use
 */
public record JobKind(String name, String domain, String description, Retrying retrying, Times times, Limits limits) {
    /**
     * Retries and their backoff.
     *
     * @param maxAttempts after so many failed attempts a job becomes a dead letter, unless the job has its own number
     * @param first the delay of the second attempt; doubled with each further one, up to the longest
     */
    public record Retrying(int maxAttempts, Duration first, Duration longest) {}

    /**
     * Time limits.
     *
     * @param lease how long a worker that stopped responding keeps a job
     * @param deadline how long a handler may run
     * @param lag jobs that have been due for longer are reported as behind
     */
    public record Times(Duration lease, Duration deadline, Duration lag) {}

    /**
     * Limits over all processes; null is no limit.
     *
     * @param running the most jobs at once
     */
    public record Limits(
            @Nullable Integer running, @Nullable Rate rate) {}

    /** The average number of leases in a time, which is also the largest burst. */
    public record Rate(int count, Duration per) {}

    public static JobKind named(String name) {
        return new JobKind(
                name,
                "system",
                "",
                new Retrying(10, Duration.ofSeconds(5), Duration.ofHours(1)),
                new Times(Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ofMinutes(5)),
                new Limits(null, null));
    }

    public JobKind in(String eventDomain) {
        return new JobKind(name, eventDomain, description, retrying, times, limits);
    }

    public JobKind describedAs(String text) {
        return new JobKind(name, domain, text, retrying, times, limits);
    }

    public JobKind triedUpTo(int attempts) {
        return with(new Retrying(attempts, retrying.first(), retrying.longest()));
    }

    public JobKind backingOff(Duration first, Duration longest) {
        return with(new Retrying(retrying.maxAttempts(), first, longest));
    }

    public JobKind leasedFor(Duration time) {
        return with(new Times(time, times.deadline(), times.lag()));
    }

    public JobKind doneWithin(Duration time) {
        return with(new Times(times.lease(), time, times.lag()));
    }

    public JobKind behindAfter(Duration time) {
        return with(new Times(times.lease(), times.deadline(), time));
    }

    public JobKind atMostAtOnce(int jobs) {
        return with(new Limits(jobs, limits.rate()));
    }

    public JobKind atMost(int jobs, Duration per) {
        return with(new Limits(limits.running(), new Rate(jobs, per)));
    }

    private JobKind with(Retrying other) {
        return new JobKind(name, domain, description, other, times, limits);
    }

    private JobKind with(Times other) {
        return new JobKind(name, domain, description, retrying, other, limits);
    }

    private JobKind with(Limits other) {
        return new JobKind(name, domain, description, retrying, times, other);
    }
}
