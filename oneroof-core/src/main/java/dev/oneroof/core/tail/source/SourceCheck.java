package dev.oneroof.core.tail.source;

import java.util.List;

/**
 * The result of checking a registered source again.
 *
 * @param broken what no longer holds
 * @param warnings what its owner should know or fix
 */
public record SourceCheck(String source, List<String> broken, List<String> warnings) {
    public boolean holds() {
        return broken.isEmpty();
    }
}
