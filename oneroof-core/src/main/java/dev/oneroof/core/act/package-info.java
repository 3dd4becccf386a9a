/** The record of operators' acts. */
@NullMarked
package dev.oneroof.core.act;

import org.jspecify.annotations.NullMarked;
