package dev.oneroof.postgres.schema;

import org.jspecify.annotations.Nullable;

/** How the schema in a database compares with the one this program knows. */
public record SchemaStatus(State state, @Nullable String installed, String known, int pending) {
    public enum State {
        ABSENT,
        BEHIND,
        CURRENT,
        NEWER
    }
}
