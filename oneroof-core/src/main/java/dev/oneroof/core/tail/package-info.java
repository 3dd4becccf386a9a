/** Tails tables: the public API and the engine of cursors. */
@NullMarked
package dev.oneroof.core.tail;

import org.jspecify.annotations.NullMarked;
