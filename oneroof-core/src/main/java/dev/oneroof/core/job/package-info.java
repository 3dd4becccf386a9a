/** Jobs: the API and the stores. */
@NullMarked
package dev.oneroof.core.job;

import org.jspecify.annotations.NullMarked;
