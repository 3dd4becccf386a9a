package dev.oneroof.core.job;

import java.util.UUID;

/** Those that failed later sort later. */
public record JobDeadLetterId(UUID value) {
    @Override
    public String toString() {
        return value.toString();
    }
}
