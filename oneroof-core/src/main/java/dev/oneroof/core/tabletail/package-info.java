/** Reading any table by its order key, and committing position and effect together. */
@NullMarked
package dev.oneroof.core.tabletail;

import org.jspecify.annotations.NullMarked;
