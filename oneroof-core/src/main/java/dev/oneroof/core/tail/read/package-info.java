/**
 * Reads a source in order: pages, the stretch between head and settled, and the barrier that waits for late commits.
 */
@NullMarked
package dev.oneroof.core.tail.read;

import org.jspecify.annotations.NullMarked;
