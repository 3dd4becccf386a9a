/** Reads a source in order: pages, the stretch between the hands, and the barrier that late commits hold. */
@NullMarked
package dev.oneroof.core.tail.read;

import org.jspecify.annotations.NullMarked;
