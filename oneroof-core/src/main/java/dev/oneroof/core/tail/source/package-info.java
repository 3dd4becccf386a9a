/** Sources: the tables that are tailed, their order keys and contracts, and their registration. */
@NullMarked
package dev.oneroof.core.tail.source;

import org.jspecify.annotations.NullMarked;
