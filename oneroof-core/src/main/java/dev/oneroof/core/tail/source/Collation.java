package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * The collation that orders a text key.
 *
 * @param name the collation as SQL writes it, or the database's own with its locale
 * @param version the version of the collation library; null where the order never changes, as under {@code "C"}
 */
public record Collation(String name, @Nullable String version) {
    @Override
    public String toString() {
        return version == null ? name : name + " version " + version;
    }
}
