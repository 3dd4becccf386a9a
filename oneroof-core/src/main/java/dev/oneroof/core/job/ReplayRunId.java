package dev.oneroof.core.job;

import java.util.UUID;

/** The replay of a group of dead letters. */
public record ReplayRunId(UUID value) {
    @Override
    public String toString() {
        return value.toString();
    }
}
