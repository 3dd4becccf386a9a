/** The one loop around all background work. */
@NullMarked
package dev.oneroof.core.worker;

import org.jspecify.annotations.NullMarked;
