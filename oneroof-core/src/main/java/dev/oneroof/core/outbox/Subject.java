package dev.oneroof.core.outbox;

import org.jspecify.annotations.Nullable;

/**
 * What an event is about: where the truth can be looked up.
 *
 * @param address its canonical address, where it has one
 */
public record Subject(String table, String ref, @Nullable String address) {
    public static Subject of(String table, String ref) {
        return new Subject(table, ref, null);
    }
}
