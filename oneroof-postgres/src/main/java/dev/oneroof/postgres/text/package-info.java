/** Figures in messages, as people write them. */
@NullMarked
package dev.oneroof.postgres.text;

import org.jspecify.annotations.NullMarked;
