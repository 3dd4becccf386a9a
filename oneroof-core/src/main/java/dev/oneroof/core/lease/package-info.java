/** One owner per scope, fenced by an epoch. */
@NullMarked
package dev.oneroof.core.lease;

import org.jspecify.annotations.NullMarked;
