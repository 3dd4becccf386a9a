package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * By what a text key is ordered.
 *
 * @param name the collation as SQL writes it, or the database's own with its locale
 * @param version what the library behind it calls its rules; null where they never change, as under {@code "C"}
 */
public record Collation(String name, @Nullable String version) {
    @Override
    public String toString() {
        return version == null ? name : name + " version " + version;
    }
}
