/** SQL expressions that are kept as data: what they must keep to, and the one check that says whether they do. */
@NullMarked
package dev.oneroof.core.expression;

import org.jspecify.annotations.NullMarked;
