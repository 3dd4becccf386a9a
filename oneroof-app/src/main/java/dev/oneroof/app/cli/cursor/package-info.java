/** The commands of {@code oneroof cursor}: the positions of workers in their sources. */
@NullMarked
package dev.oneroof.app.cli.cursor;

import org.jspecify.annotations.NullMarked;
