/** The commands of {@code oneroof schedule}: jobs by cron or interval. */
@NullMarked
package dev.oneroof.app.cli.schedule;

import org.jspecify.annotations.NullMarked;
