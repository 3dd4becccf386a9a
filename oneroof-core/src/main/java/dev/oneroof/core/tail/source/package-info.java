/** Sources: what is tailed, its order key and its contract, and how it is registered. */
@NullMarked
package dev.oneroof.core.tail.source;

import org.jspecify.annotations.NullMarked;
