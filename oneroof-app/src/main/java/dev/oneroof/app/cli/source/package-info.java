/** The commands of {@code oneroof source}: register, inspect, change and remove the tables that are tailed. */
@NullMarked
package dev.oneroof.app.cli.source;

import org.jspecify.annotations.NullMarked;
