package dev.oneroof.core.grant;

import java.util.List;

/**
 * What is granted to a login, or taken from it. Each is an exact name, or a prefix with a {@code *} at its end.
 *
 * @param kinds of jobs that it may lease and end
 * @param executors under whose names it may lease, and for which it may beat
 * @param domains of events that it may emit
 */
public record GrantNames(List<String> kinds, List<String> executors, List<String> domains) {
    public GrantNames {
        kinds = List.copyOf(kinds);
        executors = List.copyOf(executors);
        domains = List.copyOf(domains);
    }

    public static GrantNames none() {
        return new GrantNames(List.of(), List.of(), List.of());
    }
}
