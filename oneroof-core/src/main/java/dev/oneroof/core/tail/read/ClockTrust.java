package dev.oneroof.core.tail.read;

import java.time.Duration;

/**
 * How far the database's clock can be relied on.
 *
 * @param isBehind whether it has yet to catch up with what was settled by it, by more than the guard forgives
 * @param sinceRight how long ago it was last seen to be right, or this process began to look: it has stepped back since
 * @param wasSeenRight whether it was ever seen to be right here
 */
public record ClockTrust(boolean isBehind, Duration sinceRight, boolean wasSeenRight) {}
