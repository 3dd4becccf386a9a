package dev.oneroof.postgres.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the schema in a database compares with the one this program knows.
 *
 * @param different the versions that the database has in another form than this program; the state is then DIFFERENT
 */
public record SchemaStatus(State state, @Nullable String installed, String known, int pending, List<String> different) {
    public enum State {
        ABSENT,
        BEHIND,
        CURRENT,
        NEWER,
        /** Another development build made it. There is no way from there to what this program knows. */
        DIFFERENT
    }
}
