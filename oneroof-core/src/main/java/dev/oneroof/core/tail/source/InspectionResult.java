package dev.oneroof.core.tail.source;

import java.util.List;

/**
 * The result of inspecting a source that can be tailed.
 *
 * @param warnings what its owner should know or fix
 * @param seen which changes of the table the tail sees, in one line
 */
public record InspectionResult(List<String> warnings, String seen) {}
