/** The one exception root and its codes. */
@NullMarked
package dev.oneroof.database.error;

import org.jspecify.annotations.NullMarked;
