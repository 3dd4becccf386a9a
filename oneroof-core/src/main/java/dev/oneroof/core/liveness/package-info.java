/** Who is alive: the check for silence, and the states that everybody is told. */
@NullMarked
package dev.oneroof.core.liveness;

import org.jspecify.annotations.NullMarked;
