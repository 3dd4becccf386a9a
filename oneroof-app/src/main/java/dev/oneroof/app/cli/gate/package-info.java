/** The commands of {@code oneroof gate}: open and close what may run. */
@NullMarked
package dev.oneroof.app.cli.gate;

import org.jspecify.annotations.NullMarked;
