/** Who did what and why: the trail of operators' acts. */
@NullMarked
package dev.oneroof.core.operator;

import org.jspecify.annotations.NullMarked;
