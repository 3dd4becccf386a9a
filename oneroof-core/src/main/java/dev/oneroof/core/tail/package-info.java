/** Reading any table by its order key, and committing position and effect together. */
@NullMarked
package dev.oneroof.core.tail;

import org.jspecify.annotations.NullMarked;
