/** How soon a committed event is handled, and what waking costs those who emit. */
@NullMarked
package dev.oneroof.bench.wakeup;

import org.jspecify.annotations.NullMarked;
