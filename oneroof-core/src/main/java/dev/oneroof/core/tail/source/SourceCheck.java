package dev.oneroof.core.tail.source;

import java.util.List;

/**
 * What a second look at a registered source has found.
 *
 * @param broken what no longer holds
 * @param warnings what its owner should know or mend
 */
public record SourceCheck(String source, List<String> broken, List<String> warnings) {
    public boolean holds() {
        return broken.isEmpty();
    }
}
