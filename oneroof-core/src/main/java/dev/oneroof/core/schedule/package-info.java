/** Schedules, which enqueue jobs by cron or interval. */
@NullMarked
package dev.oneroof.core.schedule;

import org.jspecify.annotations.NullMarked;
