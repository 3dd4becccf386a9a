/** Workers that are rows: one SQL statement over the rows of a source. */
@NullMarked
package dev.oneroof.core.sqlworker;

import org.jspecify.annotations.NullMarked;
