/** Knowing when every row up to a bound is visible, or never will be. */
@NullMarked
package dev.oneroof.core.latecommit;

import org.jspecify.annotations.NullMarked;
