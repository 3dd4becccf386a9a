/** Knowing when every row up to a bound is visible, or never will be. */
@NullMarked
package dev.oneroof.core.barrier;

import org.jspecify.annotations.NullMarked;
