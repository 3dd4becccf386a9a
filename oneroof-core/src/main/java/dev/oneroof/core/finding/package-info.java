/** Findings: conditions that are wrong now, raised while they hold and resolved when they end. */
@NullMarked
package dev.oneroof.core.finding;

import org.jspecify.annotations.NullMarked;
