package dev.oneroof.core.tail.source;

import java.util.List;

/**
 * What was found of a source that can be tailed.
 *
 * @param warnings what its owner should know or mend
 * @param seen which changes of the table the tail sees, in one line
 */
public record Inspected(List<String> warnings, String seen) {}
