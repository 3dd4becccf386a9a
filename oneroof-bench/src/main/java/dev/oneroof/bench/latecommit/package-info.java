/** Writers that commit late in every way there is, tails that must miss nothing, and controls that do. */
@NullMarked
package dev.oneroof.bench.latecommit;

import org.jspecify.annotations.NullMarked;
