package dev.oneroof.core.tail.read;

import java.time.Duration;

/**
 * Whether the database's clock can be relied on.
 *
 * @param isBehind whether it is behind the settled watermark by more than the guard
 * @param sinceRight the time since it was last seen to be right, or since this process started; it has stepped back
 *     within that time
 * @param wasSeenRight whether this process has ever seen it right
 */
public record ClockStatus(boolean isBehind, Duration sinceRight, boolean wasSeenRight) {}
