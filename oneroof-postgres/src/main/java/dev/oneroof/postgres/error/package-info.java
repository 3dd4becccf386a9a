/** The one exception root and its codes. */
@NullMarked
package dev.oneroof.postgres.error;

import org.jspecify.annotations.NullMarked;
